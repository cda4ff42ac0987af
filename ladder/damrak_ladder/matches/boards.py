"""Boards by name, and which of a ladder's boards is played on a day.

A pool names boards of the engine, boards of the table `Board`, or "daily:24": a board of 24
locations that is made on the day it is first played on, from a seed that only this installation
can know. Whoever makes it makes the same, so it does not matter who comes first.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import random
import re
from datetime import UTC, date, datetime
from functools import cache
from typing import Final

from django.conf import settings
from django.db import IntegrityError, transaction

from damrak_engine.board import Board as EngineBoard, parse_board
from damrak_engine.boards import board_names, load_board
from damrak_engine.errors import BoardError
from damrak_engine.generator import LOCATIONS, generate, health
from damrak_engine.strictjson import StrictJsonError, read_json
from damrak_ladder.matches.errors import BadBoard, UnknownBoard
from damrak_ladder.matches.models import Board, Ladder

DAILY: Final = "daily:"
HEALTH_GAMES: Final = 300
_MOST_TRIES: Final = 20
_NAME: Final = r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?"

_log = logging.getLogger(__name__)


def board_file(name: str) -> bytes:
    """The file of a board: one of the engine's by its name, else one of the table.

    Raises:
        UnknownBoard: there is none of that name.
    """
    if name in board_names():
        return _engine_file(name)
    text = Board.objects.filter(name=name).values_list("file", flat=True).first()
    if text is None:
        raise UnknownBoard(name)
    return text.encode()


def board_of(name: str) -> EngineBoard:
    """A board by its name, parsed.

    Raises:
        UnknownBoard: there is none of that name.
    """
    return parse_board(json.loads(board_file(name)))


def add_board(name: str, data: bytes, now: datetime) -> Board:
    """A board for the table, from a file of the form damrak-board/1.

    Raises:
        BadBoard: the name is taken or cannot be, or the file is no board.
    """
    if not re.fullmatch(_NAME, name):
        raise BadBoard(f"{name!r} is not made of lower-case letters, digits and inner hyphens")
    if name in board_names() or Board.objects.filter(name=name).exists():
        raise BadBoard(f"there is a board named {name} already")
    try:
        source = read_json(data)
        parse_board(source)
    except BoardError as problem:
        raise BadBoard(f"{name}: {problem}") from None
    except StrictJsonError as problem:
        raise BadBoard(f"{name}: expected {problem}") from None
    return _stored(name, source, now)


def check_pool(pool: list[str]) -> None:
    """See to it that every entry of a ladder's pool leads to a board.

    Raises:
        UnknownBoard, BadBoard
    """
    if not pool:
        raise BadBoard("a ladder needs at least one board")
    for entry in pool:
        if entry.startswith(DAILY):
            _locations(entry)
        else:
            board_of(entry)


def board_for(ladder: Ladder, now: datetime, chance: float) -> str:
    """The name of the board that a block of this ladder is played on; `chance` is in [0, 1).

    A board of the day that is not there yet is made and stored first, which takes a moment: ask
    outside of transactions.

    Raises:
        UnknownBoard: the pool names a board that is not there.
    """
    entry = ladder.boards[int(chance * len(ladder.boards))]
    if entry.startswith(DAILY):
        return daily_board(ladder, _locations(entry), now)
    board_file(entry)
    return entry


def daily_board(ladder: Ladder, locations: int, now: datetime) -> str:
    """The name of the ladder's board of that many locations on the day of `now`, in UTC."""
    day = now.astimezone(UTC).date()
    name = f"{ladder.slug}-{day.isoformat()}-{locations}"
    if not Board.objects.filter(name=name).exists():
        _stored(name, _generated(ladder.slug, day, locations), now)
    return name


def prepare_boards(now: datetime) -> int:
    """Make the boards of the day of all open ladders; how many there are now."""
    found = 0
    for ladder in Ladder.objects.filter(is_open=True).order_by("pk"):
        for entry in ladder.boards:
            if not entry.startswith(DAILY):
                continue
            try:
                daily_board(ladder, _locations(entry), now)
            except BadBoard:  # which must not keep the other ladders from theirs
                _log.exception("no_board_of_the_day", extra={"ladder": ladder.slug})
            else:
                found += 1
    return found


def _stored(name: str, source: object, now: datetime) -> Board:
    text = _written(source).decode()
    try:
        with transaction.atomic():
            return Board.objects.create(name=name, file=text, created=now)
    except IntegrityError:  # somebody else was faster
        found = Board.objects.get(name=name)
        if found.file != text:
            raise BadBoard(f"there is a board named {name} already") from None
        return found


def _generated(slug: str, day: date, locations: int) -> object:
    """The first healthy board of a series that is fixed by the secret, the ladder and the day."""
    for number in range(_MOST_TRIES):
        text = f"damrak-daily-board/1 {slug} {day.isoformat()} {locations} {number}"
        digest = hmac.digest(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256)
        source = generate(int.from_bytes(digest[:7], "big"), locations)
        draws = random.Random(digest)  # noqa: S311 - for the games that show its health
        if health(parse_board(source), HEALTH_GAMES, draws.random).is_healthy:
            return source
    raise BadBoard(f"no healthy board in {_MOST_TRIES}")  # never seen


def _locations(entry: str) -> int:
    text = entry.removeprefix(DAILY)
    if not (text.isascii() and text.isdigit() and int(text) in LOCATIONS):
        raise BadBoard(
            f"{entry}: say {DAILY}N, with N from {LOCATIONS[0]} to {LOCATIONS[-1]} locations"
        )
    return int(text)


@cache
def _engine_file(name: str) -> bytes:
    return _written(load_board(name).source)


def _written(source: object) -> bytes:
    return json.dumps(source, ensure_ascii=False, indent=1).encode()
