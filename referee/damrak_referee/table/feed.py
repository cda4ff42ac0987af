"""The public history of a match, for any number of watchers.

A table only reports how long its log is. Events are encoded when there is a watcher, once for all
watchers. A watcher is a position in the history, so a slow one delays no other and takes no memory.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TYPE_CHECKING

from damrak_engine.effects import NOBODY, Owner
from damrak_engine.events import Event, seen_by
from damrak_referee.table.outcome import TableOrder
from damrak_wire import watch
from damrak_wire.table import event_bytes

if TYPE_CHECKING:
    from damrak_referee.table.outcome import Outcome

Clocks = Callable[[], tuple[Sequence[int], Sequence[int]]]  # seats whose clock runs; banks in ms


class Feed:
    """The public view of one attempt at a match, delayed by `order.watch_delay_ms`."""

    def __init__(
        self, order: TableOrder, commitment: str, log: Sequence[Event], clocks: Clocks
    ) -> None:
        self.order = order
        self.watchers = 0
        self.on_over: Callable[[], None] | None = None  # when watchers may see the end
        self._commitment = commitment
        self._log = log
        self._clocks = clocks
        self._delay_s = order.watch_delay_ms / 1000
        self._loop = asyncio.get_running_loop()
        self._encoded: list[bytes] = []
        self._batch: tuple[int, int, bytes] = (0, 0, b"")
        # How much of the log is visible, and the clocks at that time if there were watchers.
        self._shown: tuple[int, bytes | None] = (0, None)
        self._later: deque[tuple[float, int, bytes | None]] = deque()  # with the time to show it
        self._ending: Callable[[], bytes] | None = None
        self._ending_bytes: bytes | None = None
        self._end_shown = False
        self._timer: asyncio.TimerHandle | None = None
        self._sleepers: list[asyncio.Future[None]] = []

    # ---- for the table ------------------------------------------------------------------------

    def grow(self, events: int) -> None:
        """Record that the log now has this many events."""
        clocks = watch.clocks(*self._clocks()) if self.watchers else None
        if self._delay_s:
            self._later.append((self._loop.time() + self._delay_s, events, clocks))
        else:
            self._shown = (events, clocks)
        if self.watchers:
            self._look()

    def finish(self, outcome: Outcome) -> None:
        """End the match: everything may be seen."""
        if outcome.replay_file is not None:
            faults = [seat.fault for seat in outcome.seats]
            self._end(lambda: watch.ending(outcome.replay_file or b"", faults))

    def void(self, owner: Owner, detail: str) -> None:
        """Declare the match void; does nothing if it is over."""
        self._end(lambda: watch.void(owner, detail))

    def _end(self, ending: Callable[[], bytes]) -> None:
        if self._ending is None:
            self._ending = ending
            if self._delay_s:
                self._loop.call_later(self._delay_s, self._show_end)
            else:
                self._show_end()

    def _show_end(self) -> None:
        self._end_shown = True
        self._look()
        if self.on_over is not None:
            self.on_over()

    # ---- for watchers -------------------------------------------------------------------------

    def watched(self) -> watch.WatchedMatch:
        """Return the description of the match: its ids and players."""
        order = self.order
        return watch.WatchedMatch(
            order.match, order.block, order.attempt, order.players, self._end_shown
        )

    async def follow(self) -> AsyncGenerator[bytes, None]:
        """Yield the whole match as messages, from the beginning to the end."""
        self.watchers += 1
        try:
            yield self._setting()
            at = 0
            newest: bytes | None = None
            while True:
                self._look()
                events, clocks = self._shown
                if events > at:
                    yield self._events(at, events)
                    at = events
                    continue  # more events may have come during the sending
                if events and clocks is None and not self._delay_s and newest is None:
                    clocks = watch.clocks(*self._clocks())
                if clocks is not None and clocks is not newest and not self._end_shown:
                    newest = clocks
                    yield clocks
                    continue
                if self._end_shown and self._ending is not None:
                    if self._ending_bytes is None:
                        self._ending_bytes = self._ending()
                    yield self._ending_bytes
                    return
                await self._sleep()
        finally:
            self.watchers -= 1

    async def _sleep(self) -> None:
        sleeper = self._loop.create_future()
        self._sleepers.append(sleeper)
        await sleeper

    def _look(self) -> None:
        """Update what is visible, wake the watchers, and set a timer for the next change."""
        later = self._later
        now = self._loop.time()
        while later and (later[0][0] <= now or self._end_shown):
            self._shown = later.popleft()[1:]
        sleepers, self._sleepers = self._sleepers, []
        for sleeper in sleepers:
            if not sleeper.done():
                sleeper.set_result(None)
        if later and self.watchers and self._timer is None:
            self._timer = self._loop.call_at(later[0][0], self._look_again)

    def _look_again(self) -> None:
        self._timer = None
        self._look()

    def _setting(self) -> bytes:
        order = self.order
        return watch.setting(
            watch.MatchSetting(
                self.watched(), order.rules, order.control, self._commitment, order.watch_delay_ms
            )
        )

    def _events(self, first: int, end: int) -> bytes:
        if self._batch[:2] != (first, end):
            encoded = self._encoded
            for event in self._log[len(encoded) : end]:
                encoded.append(event_bytes(seen_by(event, NOBODY)))
            self._batch = (first, end, watch.happened(first, encoded[first:end]))
        return self._batch[2]
