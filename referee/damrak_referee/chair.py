"""A chair at a table: what one seat was told, and who sits there now.

Connections come and go; the chair stays, with the events its seat was told, so that whoever comes
back hears everything again. What clients say reaches the chair already parsed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from damrak_engine.effects import Ask, FaultRecord
from damrak_engine.events import Event
from damrak_referee.outcome import SeatOutcome
from damrak_referee.tickets import Tickets
from damrak_wire.reports import SeatFault
from damrak_wire.table import (
    Decided,
    Welcome,
    complaint,
    event_bytes,
    news,
    question,
    welcome,
)
from damrak_wire.version import HIGHEST

if TYPE_CHECKING:
    from damrak_referee.table import Table

COMPLAINTS: Final = 16  # the one that is a fault
CONNECTIONS: Final = 100  # of a match; the next one is a fault

Ending = Callable[[int, Sequence[bytes]], bytes]  # from the number of the first event, and events


class SeatLink(Protocol):
    """A connection to a client. No method waits, and none calls the chair."""

    @property
    def is_open(self) -> bool:
        """Whether it can still be written to."""

    @property
    def asked_ns(self) -> int:
        """When the last question left, on the clock of `time.monotonic_ns`; 0 before."""

    def send(self, data: bytes) -> None:
        """Send this after all that was sent before."""

    def ask(self, data: bytes) -> None:
        """Send this, which is a question."""

    def finish(self) -> None:
        """Hang up once everything is sent."""

    def close(self, code: str, detail: str) -> None:
        """Hang up now; the code is the name of a gRPC status."""


class Chair:
    """One seat of a running match."""

    __slots__ = (
        "_complaints",
        "_connections",
        "_ending",
        "_events",
        "_fresh",
        "_heard",
        "_prompt",
        "_table",
        "_tickets",
        "_told",
        "cause_ns",
        "fault",
        "is_ready",
        "link",
        "name",
        "on_fault",
        "ready_us",
        "rejections",
        "seat",
        "takeover",
        "traceback",
    )

    def __init__(self, table: Table, seat: int, name: str, tickets: Tickets | None) -> None:
        self.seat = seat
        self.name = name  # what the bot calls itself, once it has said so
        self.takeover = tickets is not None  # whether the newest connection wins
        self.link: SeatLink | None = None
        self.is_ready = False
        self.ready_us = 0  # how long that took
        self.fault: FaultRecord | None = None
        self.on_fault: Callable[[], None] = lambda: None  # it has left, and the others play on
        self.traceback = ""
        self.rejections: list[str] = []
        self.cause_ns = 0  # when that was received which the open question follows from
        self._table = table
        self._tickets = tickets
        self._events: list[bytes] = []  # all that the seat was told
        self._fresh: list[Event] = []  # what is still to be made into messages
        self._told = 0  # how many of them were sent
        self._prompt = False  # send them as they happen
        self._heard = False  # whether this connection has said anything beyond Join
        self._complaints = 0
        self._connections = 0
        self._ending: Ending | None = None

    # ---- what clients say ---------------------------------------------------------------------

    def join(self, link: SeatLink, prompt_events: bool, version: int = HIGHEST) -> None:
        """Somebody wants to sit down."""
        self._table.happens(self._sit_down, link, prompt_events, version)

    def _sit_down(self, link: SeatLink, prompt_events: bool, version: int) -> None:
        if not link.is_open:  # it did not wait for its turn
            return
        self._connections += 1
        if self._connections > CONNECTIONS:
            link.close("RESOURCE_EXHAUSTED", "This seat was taken too often.")
            self.misbehaved(f"connected more than {CONNECTIONS} times")
            return
        if self.link is not None:
            if not self.takeover:
                link.close("ALREADY_EXISTS", "Another connection plays this seat.")
                return
            self.link.close("ABORTED", "A newer connection has taken over this seat.")
        self.link = link
        self._prompt = prompt_events
        self._heard = False
        link.send(self._welcome(version))
        self._told = len(self._events)
        if self._ending is not None:
            self._say_ending(link, self._ending)
        else:
            self._table.returned(self)

    def _welcome(self, version: int) -> bytes:
        table = self._table
        order = table.order
        return welcome(
            Welcome(
                match=order.match,
                seat=self.seat,
                rules=order.rules,
                control=order.control,
                chance=_chance(order.seed, self.seat),
                commitment=table.commitment,
                rejoin_ticket="" if self._tickets is None else self._tickets.renew(self),
                history=self._events,
                observation=table.observation(self.seat),
                version=version,
            )
        )

    def ready(self, name: str) -> None:
        """The bot is ready; saying so twice does no harm."""
        self._confirm()
        if not self.is_ready:
            self.is_ready = True
            self.name = " ".join(name.split()) or self.name
            self._table.is_ready(self)

    def decided(self, said: Decided, received_ns: int) -> None:
        """The bot answers a question."""
        if not self._heard:
            self._confirm()
        table = self._table
        table.happens(table.decided, self, said, received_ns)

    def nonsense(self, decision: int, what: str) -> None:
        """The bot answers a question with what is no action."""
        self._confirm()
        self._table.happens(self._table.nonsense, self, decision, what)

    def failed(self, reason: str, detail: str, traceback: str = "") -> None:
        """The bot can play no more."""
        self._confirm()
        self._table.fail(self.seat, reason, detail, "bot", traceback)

    def malformed(self, what: str) -> None:
        """The bot's program said something that cannot be understood."""
        self._complaints += 1
        if self._complaints >= COMPLAINTS:
            self.misbehaved(f"sent {COMPLAINTS} malformed messages, the last: {what}")
        elif self.link is not None:
            self.link.send(complaint(what))

    def misbehaved(self, how: str) -> None:
        """The bot's program does what no program may do."""
        self._table.fail(self.seat, "protocol", how, "bot")

    def lost(self, link: SeatLink) -> None:
        """This connection is gone."""
        self._table.happens(self._stand_up, link)

    def _stand_up(self, link: SeatLink) -> None:
        if self.link is link:
            self.link = None
            self._table.left(self)

    def _confirm(self) -> None:
        if not self._heard:
            self._heard = True
            if self._tickets is not None:
                self._tickets.confirm(self)

    # ---- what clients are told ----------------------------------------------------------------

    @property
    def was_taken(self) -> bool:
        """Whether anybody has ever sat here."""
        return self._connections > 0

    @property
    def is_done(self) -> bool:
        """Whether the match is over for this seat."""
        return self._ending is not None

    @property
    def asked_ns(self) -> int:
        """When the last question left; 0 if none has, or nobody is there."""
        return 0 if self.link is None else self.link.asked_ns

    def tell(self, events: Sequence[Event]) -> None:
        """Something happened."""
        self._fresh += events

    def encode(self, encoded: dict[int, bytes]) -> None:
        """Make messages of what was told; `encoded` has by `id` what others made already."""
        for event in self._fresh:
            key = id(event)
            data = encoded.get(key)
            if data is None:
                data = encoded[key] = event_bytes(event)
            self._events.append(data)
        self._fresh.clear()

    def ask(self, asked: Ask, cause_ns: int, encoded: dict[int, bytes]) -> None:
        """Put a question, along with what has happened since the seat was last told."""
        link = self.link
        if link is None or self._ending is not None:
            return
        self.encode(encoded)
        first = self._told
        self._told = len(self._events)
        self.cause_ns = cause_ns
        link.ask(question(asked, first, self._events[first:]))

    def tell_promptly(self) -> None:
        """Send what has happened now, if the client has asked for that."""
        if self._prompt and self.link is not None and self._told < len(self._events):
            first = self._told
            self._told = len(self._events)
            self.link.send(news(first, self._events[first:]))

    def send(self, data: bytes) -> None:
        """Send this if somebody is there."""
        if self.link is not None:
            self.link.send(data)

    def rejected(self, decision: int, reason: str, data: bytes) -> None:
        """An answer was illegal; `data` says so to the client."""
        self.rejections.append(f"decision {decision}: {reason}")
        self.send(data)

    def end(self, ending: Ending) -> None:
        """The match is over for this seat; who comes back later hears this, too."""
        if self._ending is None:
            self._ending = ending
            if self.link is not None:
                self._say_ending(self.link, ending)

    def _say_ending(self, link: SeatLink, ending: Ending) -> None:
        first = self._told
        self._told = len(self._events)
        link.send(ending(first, self._events[first:]))
        link.finish()

    def outcome(self) -> SeatOutcome:
        """What became of the seat."""
        fault = None
        if self.fault is not None:
            found = self.fault
            fault = SeatFault(found.reason, found.owner, found.detail, self.traceback)
        return SeatOutcome(self.name, fault, tuple(self.rejections), self.ready_us)


def _chance(seed: bytes, seat: int) -> bytes:
    """What a bot starts its random numbers from: the seed itself would tell it the dice."""
    return hashlib.sha256(b"damrak-bot" + seed + bytes([seat])).digest()
