"""A block: matches that count together or not at all, and the followers of its progress.

A block without followers is cancelled after a while. It keeps its news in order from the start.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Final

import structlog

from damrak_archive.errors import ArchiveRefused
from damrak_referee.blocks.archives import Archives
from damrak_referee.blocks.running_match import Premises, RunningMatch
from damrak_referee.blocks.start_limit import Slot
from damrak_referee.runner.errors import RunnerError
from damrak_wire.orders import Archive, BlockOrder, House, MatchOrder, Open, Ticket
from damrak_wire.reports import BlockEnded, BlockNews, BlockOutcome, MatchReport, MatchVoided

_log = structlog.get_logger()

UNFOLLOWED: Final = "nobody followed it"


class Block:
    """One attempt at a block. Create it inside the running event loop, then call `begin`."""

    def __init__(
        self, premises: Premises, archives: Archives, order: BlockOrder, width: int
    ) -> None:
        """Run at most `width` of its matches at once."""
        self.order = order
        self.was_heard = False  # a follower has received everything
        self.size = 0  # bytes of the replays that it keeps
        self.over: Final = asyncio.Event()
        self._premises = premises
        self._archives = archives
        self._width = width
        self._left = len(order.matches)
        self._news: list[BlockNews] = []
        self._said = asyncio.Event()
        self._followers = 0
        self._patience = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._ending: BlockEnded | None = None
        self._stopping = asyncio.Event()
        self._tickets: list[Ticket] = []
        self._refused: dict[str, str] = {}  # archives, with the reason
        self._running: dict[str, RunningMatch] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def reserved(self) -> int:
        """The number of matches that it may still run at once."""
        return 0 if self.over.is_set() else min(self._width, self._left)

    @property
    def running(self) -> int:
        """The number of matches in progress."""
        return len(self._running)

    @property
    def outcome(self) -> BlockOutcome | None:
        """How it ended or is about to end; None if it has not ended."""
        return self._ending.outcome if self._ending is not None else None

    def take_tickets(self) -> list[Ticket]:
        """Return the tickets for its open seats, and drop them."""
        tickets, self._tickets = self._tickets, []
        return tickets

    @property
    def followers(self) -> int:
        """The number of current followers."""
        return self._followers

    def begin(self, start_limit_ms: int, first_patience: float, patience: float) -> None:
        """Start it. It is cancelled if it has no follower for too long."""
        self._patience = patience
        for order in self.order.matches:
            if any(isinstance(seat.place, Open) for seat in order.seats):
                self._tickets += self._table_for(order).new_tickets()
        self._watch(first_patience)
        self._task = asyncio.ensure_future(self._play(start_limit_ms))

    # --- followers

    @contextlib.contextmanager
    def followed(self) -> Iterator[AsyncIterator[BlockNews]]:
        """Follow the block: the iterator yields all news from its beginning to its end."""
        self._followers += 1
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        try:
            yield self._listen()
        finally:
            self._followers -= 1
            if not self._followers:
                self._watch(self._patience)

    async def _listen(self) -> AsyncIterator[BlockNews]:
        heard = 0
        while True:
            while heard < len(self._news):
                news = self._news[heard]
                heard += 1
                yield news
            if self.over.is_set():
                self.was_heard = True
                return
            await self._said.wait()

    def _watch(self, patience: float) -> None:
        if not self.over.is_set():
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(patience, self.cancel, UNFOLLOWED)

    def _say(self, news: BlockNews) -> None:
        self._news.append(news)
        self._said.set()
        self._said = asyncio.Event()

    # --- the end

    def cancel(self, reason: str) -> None:
        """End the block; unfinished matches are void."""
        self._end("cancelled", reason)

    def _end(self, outcome: BlockOutcome, detail: str) -> None:
        if self._ending is None:
            self._ending = BlockEnded(outcome, detail)
            self._stopping.set()
            for running in list(self._running.values()):
                running.void(detail)

    # --- matches

    async def _play(self, start_limit_ms: int) -> None:
        with structlog.contextvars.bound_contextvars(
            block=self.order.block, attempt=self.order.attempt
        ):
            _log.info("block_started", matches=self._left, at_once=self._width)
            await self._install()
            gate = asyncio.Semaphore(self._width)
            games = [self._play_match(gate, order, start_limit_ms) for order in self.order.matches]
            await asyncio.gather(*games)
            ended = self._ending or BlockEnded("finished")
            self.over.set()
            self._say(ended)
            if self._timer is not None:
                self._timer.cancel()
            self._premises.metrics.blocks[ended.outcome] += 1
            _log.info("block_ended", outcome=ended.outcome, detail=ended.detail)

    async def _install(self) -> None:
        """Unpack every archive of the block, once."""
        places = [seat.place for match in self.order.matches for seat in match.seats]
        for sha256 in sorted({place.sha256 for place in places if isinstance(place, Archive)}):
            if self._ending is not None:
                return
            try:
                await self._premises.runner.install(sha256, self._archives.path(sha256))
            except ArchiveRefused as problem:
                self._refused[sha256] = problem.why
            except (RunnerError, OSError) as problem:
                self._end("void", f"an archive could not be unpacked: {problem}")
                self._archives.drop(sha256)  # the copy may be damaged: let it be uploaded again

    async def _play_match(
        self, gate: asyncio.Semaphore, order: MatchOrder, start_limit_ms: int
    ) -> None:
        async with gate:
            slot = None
            if any(isinstance(seat.place, (Archive, House)) for seat in order.seats):
                slot = await self._premises.starting.take(unless=self._stopping)
            try:
                report = await self._report_of(order, start_limit_ms, slot)
            except Exception as problem:  # noqa: BLE001  # one match must not keep a block from its end
                _log.exception("match_broke", match=order.match)
                report = self._voided(order, f"the referee broke: {type(problem).__name__}")
            finally:
                if slot is not None:
                    slot.release()
                self._running.pop(order.match, None)
                self._left -= 1
            self._say(report)
            if isinstance(report, MatchReport):
                self.size += len(report.replay)
            else:
                self._end("void", f"{order.match}: {report.detail}")

    async def _report_of(
        self, order: MatchOrder, start_limit_ms: int, slot: Slot | None
    ) -> MatchReport | MatchVoided:
        if self._ending is not None and order.match not in self._running:
            return self._voided(order, self._ending.detail)
        running = self._table_for(order)
        return await running.play(start_limit_ms, self._refused, self._say, slot)

    def _table_for(self, order: MatchOrder) -> RunningMatch:
        running = self._running.get(order.match)
        if running is None:
            running = RunningMatch(self._premises, self.order, order)
            self._running[order.match] = running
        return running

    def _voided(self, order: MatchOrder, detail: str) -> MatchVoided:
        return MatchVoided(order.match, self.order.attempt, "host", detail)
