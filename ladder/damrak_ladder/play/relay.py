"""The relay: starts games of people on the referee of this machine, and holds their seats.

It plays the blocks of these games as a worker plays others, each in a thread that mostly waits. All
seats share one event loop and one connection to the referee. Everything that a successor needs is
in the database or at the referee, so the relay may be killed at any time: the next one takes over
its blocks and seats, and nobody at a table notices more than a pause.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, TypeVar

from django.conf import settings
from django.db import DatabaseError, connections

from damrak_ladder.play import advice, mailbox, take_backs
from damrak_ladder.play.mailbox import Held, Letter
from damrak_ladder.play.running_game import cancel_game, play_game, take_over_game
from damrak_ladder.play.seat_line import SeatLine
from damrak_ladder.referees.connections import seating_of
from damrak_ladder.referees.seats import Seating

LOOK_S: Final = 0.25
"""The interval in which the relay looks for new games."""

ANSWERS_S: Final = 0.03
"""The interval in which it looks for answers, while there are people at tables."""

LAST_WORDS_S: Final = 5.0
"""How long the seats of a game that is recorded may still hear its end."""

TIDY_S: Final = 10.0
TROUBLE_S: Final = 2.0

T = TypeVar("T")

_log = logging.getLogger(__name__)


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


class Relay:
    """All games of people on this machine, up to `most` at once."""

    def __init__(self, most: int, clock: Callable[[], datetime] = now) -> None:
        self.owner = f"{mailbox.this_host()}:{os.getpid()}"
        self._most = most
        self._clock = clock
        # One thread, so that the database sees the letters of a seat in order.
        self._scribe = ThreadPoolExecutor(1, "mailbox")
        self._threads = ThreadPoolExecutor(most, "game")
        self._games: dict[int, asyncio.Future[None]] = {}  # by block
        self._lines: dict[tuple[int, int], SeatLine] = {}  # by chair and attempt
        self._tasks: set[asyncio.Task[None]] = set()
        self._letters: list[tuple[Letter, asyncio.Future[None]]] = []
        self._has_letters = asyncio.Event()

    async def run(self) -> None:
        """Work until cancelled."""
        async with seating_of(settings.DAMRAK_REFEREE or "") as referee:
            await asyncio.gather(
                self._write(),
                self._repeat(LOOK_S, partial(self._look, referee)),
                self._repeat(ANSWERS_S, self._pass_on),
                self._repeat(LOOK_S, self._advise),
                self._repeat(TIDY_S, self._tidy),
            )

    async def _repeat(self, pause: float, act: Callable[[], Any]) -> None:
        """Act again and again; an unreachable database only delays everything."""
        while True:
            try:
                await act()
                await asyncio.sleep(pause)
            except DatabaseError as problem:
                _log.warning("database_trouble", extra={"why": str(problem)})
                await asyncio.sleep(TROUBLE_S)

    # ---- games ---------------------------------------------------------------------------------

    async def _look(self, referee: Seating) -> None:
        """Take over the games of a relay that was killed, start new ones, and sit down."""
        for block in await self._db(mailbox.orphans, mailbox.this_host()):
            if block.pk not in self._games:
                self._run(block.pk, partial(take_over_game, block, self.owner, self._clock))
        free = self._most - len(self._games)
        if free > 0:
            for block_id, latest in await self._db(mailbox.due, self._clock(), free):
                if block_id not in self._games:
                    game = partial(play_game, block_id, latest, self.owner, self._clock)
                    self._run(block_id, game)
        if self._games:
            for held in await self._db(mailbox.seats_to_hold, list(self._games)):
                self._sit_down(held, referee)

    def _run(self, block_id: int, game: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        running = loop.run_in_executor(self._threads, game)
        self._games[block_id] = running

        def forget(done: asyncio.Future[None]) -> None:
            self._games.pop(block_id, None)
            ended = [line for line in self._lines.values() if line.held.block == block_id]
            loop.call_later(LAST_WORDS_S, self._clear, ended)
            if (problem := done.exception()) is not None:
                _log.error("game_broke", extra={"block": block_id}, exc_info=problem)

        running.add_done_callback(forget)

    def _clear(self, ended: Sequence[SeatLine]) -> None:
        for line in ended:
            line.stop()
            self._lines.pop((line.held.chair, line.held.attempt), None)

    def _sit_down(self, held: Held, referee: Seating) -> None:
        key = held.chair, held.attempt
        if key in self._lines:
            return
        line = self._lines[key] = SeatLine(held, self._post, self._clock)
        task = asyncio.create_task(line.hold(referee))
        self._tasks.add(task)

        def stand_up(done: asyncio.Task[None]) -> None:
            self._tasks.discard(done)
            if not done.cancelled() and (problem := done.exception()) is not None:
                _log.error("seat_broke", extra={"chair": held.chair}, exc_info=problem)

        task.add_done_callback(stand_up)

    # ---- the mailbox ---------------------------------------------------------------------------

    async def _pass_on(self) -> None:
        lines = [line for line in self._lines.values() if not line.is_over]
        if not lines:
            return
        found = await self._db(mailbox.answers, [line.held.chair for line in lines])
        for answer in found:
            line = self._lines.get((answer.chair, answer.attempt))
            if line is None:
                continue
            if answer.takes_back:
                await self._take_back(line)
            else:
                await line.answer(answer)

    async def _take_back(self, line: SeatLine) -> None:
        ended = await self._db(take_backs.fulfil, line.held.chair, self._clock())
        if ended is None:
            return
        line.stop()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, cancel_game, *ended)

    async def _advise(self) -> None:
        """Fulfil the wishes for advice, one at a time."""
        while chairs := [line.held.chair for line in self._lines.values() if not line.is_over]:
            wish = await self._db(advice.next_wish, chairs)
            if wish is None:
                return
            await self._db(advice.keep, wish, await advice.advised(wish))

    async def _post(self, letter: Letter) -> None:
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._letters.append((letter, stored))
        self._has_letters.set()
        await stored

    async def _write(self) -> None:
        """Store the letters that have come together, in one transaction."""
        while True:
            await self._has_letters.wait()
            self._has_letters.clear()
            letters, self._letters = self._letters, []
            while letters:
                try:
                    await self._db(mailbox.keep, [letter for letter, _ in letters])
                except DatabaseError as problem:
                    _log.warning("letters_wait", extra={"why": str(problem)})
                    await asyncio.sleep(TROUBLE_S)
                    continue
                for _, stored in letters:
                    if not stored.cancelled():
                        stored.set_result(None)
                break

    async def _tidy(self) -> None:
        await self._db(mailbox.tidy, self._clock())

    async def _db(self, act: Callable[..., T], *given: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._scribe, partial(_called, act, given))


def _called(act: Callable[..., T], given: Sequence[object]) -> T:
    try:
        return act(*given)
    except DatabaseError:
        connections.close_all()  # of this thread; the next call connects again
        raise
