"""The stream of a table: questions and events for the page of one person.

One poll of the database serves all pages of this process: it asks which mailboxes have changed. A
page that reconnects says how far it has come, and gets the rest, from any process of the site.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Final, ParamSpec, TypeVar

from django.db import DatabaseError, connection, connections
from django.db.models import F
from django.utils.translation import override

from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.play.models import Chair, Heard
from damrak_ladder.tournaments.visibility import passed
from damrak_ladder.web.play.chairs import Sitting, empty_tale
from damrak_ladder.web.play.frames import advice_data, frame, moments_frame, question_data
from damrak_ladder.web.play.seat_view import Tale

P = ParamSpec("P")
T = TypeVar("T")

POLL_S: Final = 0.04
HEARTBEAT_S: Final = 15.0
LAST_WORDS_S: Final = 0.5
MOST_PAGES: Final = 500  # in one process

Status = tuple[int, int, int | None, int | None, str, int | None, str]
"""Of a chair: its attempt, messages, open question and answer, the kind of advice that it wishes
and that advice, and the state of its block."""

_FIELDS: Final = (
    *("pk", "attempt", "heard", "asked", "choice", "wish", "advice"),
    "game__block__state",
)
_OVER: Final = (BlockState.RECORDED, BlockState.DEAD)


_READER: Final = ThreadPoolExecutor(1, "mailboxes")
"""One thread, which keeps its database connection while pages are open."""


async def read(act: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Call a function that reads the database."""
    call = partial(_called, partial(act, *args, **named))
    return await asyncio.get_running_loop().run_in_executor(_READER, call)


def _called(act: Callable[[], T]) -> T:
    try:
        return act()
    except DatabaseError:
        connection.close()  # the next call connects again
        raise


def _leave() -> None:
    """Forget the connection of this thread, so that the next call makes a new one."""
    connections["default"].close()
    del connections["default"]


class Mailboxes:
    """The mailboxes that pages of this process look at."""

    def __init__(self) -> None:
        self._looking: Counter[int] = Counter()
        self._known: dict[int, Status] = {}
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def pages(self) -> int:
        """Return the number of open pages."""
        return self._looking.total()

    def open(self, chair: int) -> None:
        """Begin to look at a mailbox."""
        self._looking[chair] += 1
        if self._task is None or self._task.done():
            self._changed = asyncio.Event()
            self._task = asyncio.create_task(self._poll())

    async def rest(self) -> None:
        """Return when no page is open and the database connection is closed."""
        if self._task is not None:
            await self._task

    def close(self, chair: int) -> None:
        """Stop looking at it."""
        self._looking[chair] -= 1
        if not self._looking[chair]:
            del self._looking[chair]
            self._known.pop(chair, None)

    async def change(self, chair: int, known: Status | None) -> Status | None:
        """Return the status of a mailbox once it differs from the known one; None after a while."""
        until = asyncio.get_running_loop().time() + HEARTBEAT_S
        while True:
            changed = self._changed
            found = self._known.get(chair)
            if found is not None and found != known:
                return found
            left = until - asyncio.get_running_loop().time()
            try:
                await asyncio.wait_for(changed.wait(), max(0.0, left))
            except TimeoutError:
                return None

    async def _poll(self) -> None:
        while self._looking:
            try:
                found = await read(_statuses, list(self._looking))
            except DatabaseError:
                found = {}  # pages wait until it is back
            if any(self._known.get(chair) != status for chair, status in found.items()):
                self._known |= {k: status for k, status in found.items() if k in self._looking}
                self._changed.set()
                self._changed = asyncio.Event()
            await asyncio.sleep(POLL_S)
            if not self._looking:
                await read(_leave)  # a page may be opened meanwhile


MAILBOXES: Final = Mailboxes()


async def stream(sitting: Sitting, chair: Chair, place: str, language: str) -> AsyncIterator[bytes]:
    """Yield the frames for a page that has everything up to `place` ("attempt-moments")."""
    MAILBOXES.open(chair.pk)
    try:
        async for part in _Telling(sitting, chair, place, language).frames():
            yield part
    finally:
        MAILBOXES.close(chair.pk)


class _Telling:
    """The frames for one page."""

    def __init__(self, sitting: Sitting, chair: Chair, place: str, language: str) -> None:
        self._sitting = sitting
        self._chair = chair
        self._language = language
        self._page_attempt, self._page_has = _read_place(place)
        self._tale: Tale | None = None
        self._attempt = 0
        self._heard = 0
        self._was: tuple[int | None, int | None, str] | None = None  # the question last sent
        self._advised: tuple[int | None, str, int | None] | None = None  # the advice last sent
        self._backs = 0

    async def frames(self) -> AsyncIterator[bytes]:
        known: Status | None = None
        while True:
            status = await MAILBOXES.change(self._chair.pk, known)
            if status is None:
                yield b": still there\n\n"
                continue
            known = status
            for part in await self._told(status):
                yield part
            if status[-1] in _OVER:
                if self._tale is None or not self._tale.is_over:
                    await asyncio.sleep(LAST_WORDS_S)  # the game may be recorded a moment earlier
                    for part in await self._told(
                        (await read(_statuses, [self._chair.pk]))[self._chair.pk]
                    ):
                        yield part
                yield frame("recorded", await read(_result, self._sitting.game.block_id))
                return

    async def _told(self, status: Status) -> list[bytes]:
        attempt, heard, asked, choice, wish, action, _state = status
        if not attempt:
            return []
        parts: list[bytes] = []
        if self._tale is None or attempt != self._attempt:
            backs = await read(_backs, self._chair.pk)
            if self._tale is not None:
                parts.append(frame("void", {"is_back": backs > self._backs}))
            self._backs = backs
            self._tale = await read(empty_tale, self._sitting, self._chair)
            self._attempt, self._heard, self._was = attempt, 0, None
            parts.append(
                frame("setting", {**self._tale.header, "attempt": attempt, "backs": backs})
            )
        first = len(self._tale.moments)
        if attempt == self._page_attempt and not self._heard:
            first = self._page_has
        for data, at in await read(_messages, self._chair.pk, attempt, self._heard, heard):
            self._tale.take(data, at)
            self._heard += 1
        if len(self._tale.moments) > first:
            parts.append(moments_frame(self._tale, first, attempt))
        parts += self._asking(asked, choice)
        parts += self._advising(asked, wish, action)
        return parts

    def _advising(self, asked: int | None, wish: str, action: int | None) -> list[bytes]:
        assert self._tale is not None
        question = self._tale.question
        now = (asked, wish, action)
        if now == self._advised or question is None or question.decision != asked or not wish:
            return []
        self._advised = now
        with override(self._language):
            return [frame("advice", advice_data(self._tale, question, wish, action))]

    def _asking(self, asked: int | None, choice: int | None) -> list[bytes]:
        assert self._tale is not None
        question = self._tale.question
        if question is not None and question.decision != asked:
            question = None  # it has been answered
        now = (None if question is None else question.decision, choice, self._tale.refused)
        if now == self._was:
            return []
        self._was = now
        if question is None:
            return [frame("waiting", {})]
        with override(self._language):
            return [frame("ask", question_data(self._tale, question, choice, datetime.now(UTC)))]


def _read_place(place: str) -> tuple[int, int]:
    attempt, _, at = place.partition("-")
    is_valid = attempt.isdecimal() and at.isdecimal() and len(place) < 20
    return (int(attempt), int(at)) if is_valid else (0, 0)


def _statuses(chairs: list[int]) -> dict[int, Status]:
    rows = Chair.objects.filter(pk__in=chairs).values_list(*_FIELDS)
    return {row[0]: (*row[1:7], row[7] or "") for row in rows}


def _backs(chair: int) -> int:
    """Return how many moves this person has taken back."""
    backs = Chair.objects.values_list("backs", flat=True).get(pk=chair)
    return sum(backs.values())


def _messages(chair: int, attempt: int, first: int, end: int) -> list[tuple[bytes, datetime]]:
    rows = Heard.objects.filter(
        chair=chair, attempt=attempt, number__gte=first, number__lt=end
    ).order_by("number")
    return [(bytes(data), at) for data, at in rows.values_list("data", "at")]


def _result(block: int | None) -> dict[str, object]:
    """Return the match, and place and points of each seat; an empty object if there is none."""
    match = passed(Match).filter(block=block, replay__gt="").first()
    if match is None:
        return {}
    rows = match.seats.order_by("number").annotate(
        place=F("result__place"), points=F("result__points")
    )
    return {"match": match.pk, "seats": list(rows.values_list("place", "points"))}
