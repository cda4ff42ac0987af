"""A chair at a table: the events sent to one seat, and the connection that plays it.

Connections come and go; the chair stays and keeps its events, so that a client that reconnects
receives all of them again. Messages of clients reach the chair already parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from damrak_engine.dice import bot_seed
from damrak_engine.effects import Ask, FaultRecord
from damrak_engine.events import Event
from damrak_referee.table.outcome import SeatOutcome
from damrak_referee.table.tickets import Tickets
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
    from damrak_referee.table.table import Table

COMPLAINTS: Final = 16  # malformed messages; this many are a fault
CONNECTIONS: Final = 100  # per match; one more is a fault

Ending = Callable[[int, Sequence[bytes]], bytes]  # takes the number of the first event, and events


class SeatLink(Protocol):
    """A connection to a client. Its methods neither block nor call the chair."""

    @property
    def is_open(self) -> bool:
        """Whether it can still be written to."""

    @property
    def asked_ns(self) -> int:
        """When the last question was sent, by `time.monotonic_ns`; 0 before the first."""

    def send(self, data: bytes) -> None:
        """Send the data after all data sent before."""

    def ask(self, data: bytes) -> None:
        """Send the data, which is a question."""

    def finish(self) -> None:
        """Close the connection after sending everything."""

    def close(self, code: str, detail: str) -> None:
        """Close the connection now; `code` is the name of a gRPC status."""


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
        self.name = name  # replaced by the name that the bot sends when ready
        self.takeover = tickets is not None  # whether a newer connection replaces an older one
        self.link: SeatLink | None = None
        self.is_ready = False
        self.ready_us = 0  # microseconds until then
        self.fault: FaultRecord | None = None
        self.on_fault: Callable[[], None] = lambda: None  # the seat is out, the others play on
        self.traceback = ""
        self.rejections: list[str] = []
        self.cause_ns = 0  # when the message was received that led to the open question
        self._table = table
        self._tickets = tickets
        self._events: list[bytes] = []  # all events of the seat
        self._fresh: list[Event] = []  # events not yet encoded
        self._told = 0  # the number of events that were sent
        self._prompt = False  # whether to send events as they happen
        self._heard = False  # whether this connection has sent more than Join
        self._complaints = 0
        self._connections = 0
        self._ending: Ending | None = None

    # ---- messages from clients ----------------------------------------------------------------

    def join(self, link: SeatLink, prompt_events: bool, version: int = HIGHEST) -> None:
        """Seat a new connection."""
        self._table.happens(self._sit_down, link, prompt_events, version)

    def _sit_down(self, link: SeatLink, prompt_events: bool, version: int) -> None:
        if not link.is_open:  # it closed while this was queued
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
                chance=bot_seed(order.seed, self.seat),
                commitment=table.commitment,
                rejoin_ticket="" if self._tickets is None else self._tickets.renew(self),
                history=self._events,
                observation=table.observation(self.seat),
                version=version,
            )
        )

    def ready(self, name: str) -> None:
        """Mark the bot as ready; idempotent."""
        self._confirm()
        if not self.is_ready:
            self.is_ready = True
            self.name = " ".join(name.split()) or self.name
            self._table.is_ready(self)

    def decided(self, said: Decided, received_ns: int) -> None:
        """Handle the bot's answer to a question."""
        if not self._heard:
            self._confirm()
        table = self._table
        table.happens(table.decided, self, said, received_ns)

    def nonsense(self, decision: int, what: str) -> None:
        """Handle an answer that does not name an action."""
        self._confirm()
        self._table.happens(self._table.nonsense, self, decision, what)

    def failed(self, reason: str, detail: str, traceback: str = "") -> None:
        """Handle the bot's report that it cannot play on."""
        self._confirm()
        self._table.fail(self.seat, reason, detail, "bot", traceback)

    def malformed(self, what: str) -> None:
        """Handle a malformed message: complain, or fail the seat if there were too many."""
        self._complaints += 1
        if self._complaints >= COMPLAINTS:
            self.misbehaved(f"sent {COMPLAINTS} malformed messages, the last: {what}")
        elif self.link is not None:
            self.link.send(complaint(what))

    def misbehaved(self, how: str) -> None:
        """Fail the seat because its client violated the protocol."""
        self._table.fail(self.seat, "protocol", how, "bot")

    def lost(self, link: SeatLink) -> None:
        """Handle the loss of a connection."""
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

    # ---- messages to clients ------------------------------------------------------------------

    @property
    def was_taken(self) -> bool:
        """Whether any client has ever connected to this seat."""
        return self._connections > 0

    @property
    def is_done(self) -> bool:
        """Whether the match is over for this seat."""
        return self._ending is not None

    @property
    def asked_ns(self) -> int:
        """When the last question was sent; 0 if none was, or without a connection."""
        return 0 if self.link is None else self.link.asked_ns

    def tell(self, events: Sequence[Event]) -> None:
        """Add events that the seat sees."""
        self._fresh += events

    def encode(self, encoded: dict[int, bytes]) -> None:
        """Encode new events; `encoded` caches, by `id`, events that other chairs have encoded."""
        for event in self._fresh:
            key = id(event)
            data = encoded.get(key)
            if data is None:
                data = encoded[key] = event_bytes(event)
            self._events.append(data)
        self._fresh.clear()

    def ask(self, asked: Ask, cause_ns: int, encoded: dict[int, bytes]) -> None:
        """Send a question, with the events that the seat has not been sent yet."""
        link = self.link
        if link is None or self._ending is not None:
            return
        self.encode(encoded)
        first = self._told
        self._told = len(self._events)
        self.cause_ns = cause_ns
        link.ask(question(asked, first, self._events[first:]))

    def tell_promptly(self) -> None:
        """Send new events now, if the client asked for prompt events."""
        if self._prompt and self.link is not None and self._told < len(self._events):
            first = self._told
            self._told = len(self._events)
            self.link.send(news(first, self._events[first:]))

    def send(self, data: bytes) -> None:
        """Send the data if there is a connection."""
        if self.link is not None:
            self.link.send(data)

    def rejected(self, decision: int, reason: str, data: bytes) -> None:
        """Record an illegal answer and send `data`, which explains it, to the client."""
        self.rejections.append(f"decision {decision}: {reason}")
        self.send(data)

    def end(self, ending: Ending) -> None:
        """End the match for this seat; clients that reconnect later are sent the ending, too."""
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
        """Return the result of the seat."""
        fault = None
        if self.fault is not None:
            found = self.fault
            fault = SeatFault(found.reason, found.owner, found.detail, self.traceback)
        return SeatOutcome(self.name, fault, tuple(self.rejections), self.ready_us)
