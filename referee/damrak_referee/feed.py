"""The public history of a match, for any number of watchers.

A table does no more than say how far its log has got. Events are made into messages when somebody
watches, once for all: a watcher is a position in the history, so one that is slow keeps nobody up
and takes no memory.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TYPE_CHECKING

from damrak_engine.effects import NOBODY, Owner
from damrak_engine.events import Event, seen_by
from damrak_referee.outcome import TableOrder
from damrak_wire import watch
from damrak_wire.table import event_bytes

if TYPE_CHECKING:
    from damrak_referee.outcome import Outcome

Clocks = Callable[[], tuple[Sequence[int], Sequence[int]]]  # whose run; banks in milliseconds


class Feed:
    """One attempt at a match as it may be seen, `order.watch_delay_ms` later."""

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
        # How much of the log may be seen, and the clocks then if anybody watched.
        self._shown: tuple[int, bytes | None] = (0, None)
        self._later: deque[tuple[float, int, bytes | None]] = deque()  # and what from when on
        self._ending: Callable[[], bytes] | None = None
        self._ending_bytes: bytes | None = None
        self._end_shown = False
        self._timer: asyncio.TimerHandle | None = None
        self._sleepers: list[asyncio.Future[None]] = []

    # ---- for the table ------------------------------------------------------------------------

    def grow(self, events: int) -> None:
        """The log has so many events now."""
        clocks = watch.clocks(*self._clocks()) if self.watchers else None
        if self._delay_s:
            self._later.append((self._loop.time() + self._delay_s, events, clocks))
        else:
            self._shown = (events, clocks)
        if self.watchers:
            self._look()

    def finish(self, outcome: Outcome) -> None:
        """The match is over: everything may be seen."""
        if outcome.replay_file is not None:
            faults = [seat.fault for seat in outcome.seats]
            self._end(lambda: watch.ending(outcome.replay_file or b"", faults))

    def void(self, owner: Owner, detail: str) -> None:
        """The match counts for nothing; nothing new if it is over."""
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
        """What is played by whom."""
        order = self.order
        return watch.WatchedMatch(
            order.match, order.block, order.attempt, order.players, self._end_shown
        )

    async def follow(self) -> AsyncGenerator[bytes, None]:
        """All of it as messages, from the beginning to the end."""
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
                    continue  # more may have happened while that was sent
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
        """See what may be seen by now, wake the watchers, and mind when there is more."""
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
