"""Live matches for the public: one upstream connection per match for all watchers of this process.

Each watcher has a position in the list of moments and is sent what follows it. So nothing piles up
for slow watchers, and a watcher that reconnects sends its position. All of this runs in the event
loop.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.db import DatabaseError, close_old_connections

from damrak_engine.effects import Voided
from damrak_ladder.accounts.budgets import network
from damrak_ladder.matches.models import BlockState
from damrak_ladder.referees.connections import watching_of
from damrak_ladder.referees.errors import RefereeTrouble
from damrak_ladder.tournaments.visibility import visible_matches
from damrak_ladder.web.replays.moments import Projector, header_of
from damrak_ladder.web.replays.viewpoints import TABLE
from damrak_wire.watch import Clocks, Happened, MatchSetting, Seen, WatchEnding

HEARTBEAT_SECONDS: Final = 15.0
LINGER_SECONDS: Final = 5.0  # how long to watch on without watchers: a page may be reloaded
FRESH_SECONDS: Final = 30.0  # how long an ended match is still served from here
POSITION_SECONDS: Final = 3.0  # how long to wait for the position of a match
WAITS_SECONDS: Final = (0.5, 1.0, 2.0, 5.0)
MOST_WATCHERS: Final = 2000  # of all matches in this process
FULL_SECONDS: Final = 30  # retry time for watchers who were refused


class Broadcast:
    """One match, as far as it is known here."""

    def __init__(self, match: int) -> None:
        self.match = match
        self.attempt = 0
        self.void = 0  # the latest attempt that was voided
        self.header: dict[str, Any] | None = None
        self.moments: list[str] = []  # as JSON
        self.turns = 0  # that have begun
        self.clocks = ""
        self.ended: float | None = None  # when its last event came
        self.watchers = 0
        self._projector: Projector | None = None
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def take(self, seen: Seen) -> None:
        """Process an event from the referee."""
        match seen:
            case MatchSetting():
                players = [(p.bot, p.version, p.owner) for p in seen.match.seats]
                self.header = {
                    **header_of(seen.rules, players),
                    "match": seen.match.match,
                    "eyes": TABLE,
                    "over": False,
                }
                self._projector = Projector(seen.rules, TABLE)
                self.attempt = seen.match.attempt
                self.moments = []
                self.turns = 0
                self.clocks = ""
            case Happened() if self._projector is not None:
                for event in seen.events[max(0, len(self.moments) - seen.first) :]:
                    moment = self._projector.show(event, None)
                    self.turns = moment[1].get("turn", self.turns)
                    self.moments.append(json.dumps(moment, separators=(",", ":")))
            case Clocks():
                clocks = {f"b{seat}": bank for seat, bank in enumerate(seen.bank_ms)}
                self.clocks = json.dumps({"actor": list(seen.running), **clocks})
            case WatchEnding():
                # Its replay stays hidden until the other matches of the block are over, too.
                self._end()
            case Voided():
                self.moments, self.header, self.clocks = [], None, ""
                self.void = self.attempt
        self.stir()

    def _end(self) -> None:
        self.ended = asyncio.get_running_loop().time()

    def is_stale(self) -> bool:
        """Return whether the match ended too long ago to be served to new watchers."""
        now = asyncio.get_running_loop().time()
        return self.ended is not None and now - self.ended > FRESH_SECONDS

    def stir(self) -> None:
        """Wake all watchers."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def watch(self, place: str) -> AsyncGenerator[bytes, None]:
        """Yield the frames for a watcher that has everything up to `place` ("attempt-moments")."""
        self.watchers += 1
        if self.ended is None and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._follow())
        try:
            attempt, at = _read_place(place)
            clocks, void = "", 0
            while True:
                changed = self._changed
                if self.header is not None and attempt != self.attempt:
                    attempt, at, clocks = self.attempt, 0, ""
                    yield _frame("setting", json.dumps(self.header))
                if attempt and attempt == self.void != void:
                    void = self.void
                    yield _frame("void", "{}")
                if self.header is not None and len(self.moments) > at:
                    found = f'{{"first":{at},"moments":[{",".join(self.moments[at:])}]}}'
                    at = len(self.moments)
                    yield _frame("moments", found, f"{attempt}-{at}")
                if at and self.clocks != clocks:
                    clocks = self.clocks
                    yield _frame("clocks", clocks)
                if self.ended is not None:
                    yield _frame("over", "{}")
                    return
                try:
                    await asyncio.wait_for(changed.wait(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield b": still there\n\n"
        finally:
            self.watchers -= 1

    async def _follow(self) -> None:
        """Watch the referee that currently plays the match, as long as there are watchers."""
        failures = 0
        while self.ended is None and not await self._is_forgotten():
            watched = asyncio.create_task(self._listen())
            try:
                while not watched.done() and not await self._is_forgotten():
                    await asyncio.wait((watched,), timeout=1.0)
            finally:
                watched.cancel()
            failures += 1
            if self.watchers and self.ended is None:
                await asyncio.sleep(WAITS_SECONDS[min(failures, len(WAITS_SECONDS)) - 1])
        self.stir()

    async def _listen(self) -> None:
        try:
            address = await _address_of(self.match)
            if address is None:
                self._end()
                return
            async with watching_of(address) as referee:
                async for seen in referee.watch(str(self.match)):
                    self.take(seen)
        except (RefereeTrouble, DatabaseError):
            return  # retried, possibly with another referee

    async def _is_forgotten(self) -> bool:
        if self.watchers:
            return False
        await asyncio.sleep(LINGER_SECONDS)
        return not self.watchers


class Studio:
    """All broadcasts of this process."""

    def __init__(self) -> None:
        self._on_air: dict[int, Broadcast] = {}
        self._places: Counter[str] = Counter()  # by address

    @property
    def watchers(self) -> int:
        """Return the number of watchers."""
        return sum(one.watchers for one in self._on_air.values())

    def is_full(self, who: str, most: int) -> bool:
        """Return whether the limit of all watchers, or `most` for this network, is reached."""
        return self.watchers >= MOST_WATCHERS or self._places[network(who)] >= most

    async def watch(self, match: int, place: str, who: str = "") -> AsyncGenerator[bytes, None]:
        """Yield the frames of a running match for one more watcher at this address."""
        for pk, old in list(self._on_air.items()):
            if not old.watchers and (old.is_stale() or pk != match):
                del self._on_air[pk]
        broadcast = self._on_air.get(match)
        if broadcast is None or broadcast.is_stale():
            broadcast = self._on_air[match] = Broadcast(match)
        source = network(who)
        self._places[source] += 1
        try:
            async with aclosing(broadcast.watch(place)) as frames:
                async for frame in frames:
                    yield frame
        finally:
            self._places[source] -= 1
            if not self._places[source]:
                del self._places[source]

    async def turns(self, match: int) -> int | None:
        """Return the number of turns of a running match that are public; None if unknown."""
        with suppress(TimeoutError):
            async with asyncio.timeout(POSITION_SECONDS), aclosing(self.watch(match, "")) as frames:
                async for frame in frames:
                    if frame.startswith(b"event: moments"):
                        return self._on_air[match].turns
        return None


STUDIO: Final = Studio()


async def only(name: str, come_back: int | None = None) -> AsyncIterator[bytes]:
    """Yield this event only; `come_back` is the number of seconds until browsers ask again."""
    if come_back is not None:
        yield f"retry: {1000 * come_back}\n".encode()
    yield _frame(name, "{}")


@sync_to_async
def _address_of(match: int) -> str | None:
    """Return the control address of the host that plays the match; None if none does."""
    playing = visible_matches(None).filter(pk=match, block__state=BlockState.RUNNING)
    try:
        found: str | None = playing.values_list("block__host__control", flat=True).first()
    finally:
        close_old_connections()  # a watcher must not hold one for a whole match
    return found or None


def _read_place(place: str) -> tuple[int, int]:
    attempt, _, at = place.partition("-")
    if attempt.isdecimal() and at.isdecimal() and len(place) < 20:
        return int(attempt), int(at)
    return 0, 0


def _frame(name: str, data: str, place: str = "") -> bytes:
    mark = f"id: {place}\n" if place else ""
    return f"event: {name}\n{mark}data: {data}\n\n".encode()
