"""Boards by name, and the choice of a ladder's board for a day.

A pool contains names of the engine's boards, names of rows of the table `Board`, or "daily:24": a
board of 24 locations that is created on the day it is first played, from a seed that only this
installation can compute. The result is deterministic, so any process may create it first.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import random
import re
from collections.abc import Sequence
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
from damrak_ladder.message_codes import ladder_codes as codes

DAILY: Final = "daily:"
HEALTH_GAMES: Final = 300
_MOST_TRIES: Final = 20
_NAME: Final = r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?"

_log = logging.getLogger(__name__)


def board_file(name: str) -> bytes:
    """Return the file of a board of the engine or of the table.

    Raises:
        UnknownBoard: there is no board of this name.
    """
    if name in board_names():
        return _engine_file(name)
    text = Board.objects.filter(name=name).values_list("file", flat=True).first()
    if text is None:
        raise UnknownBoard(name)
    return text.encode()


def board_of(name: str) -> EngineBoard:
    """Return the board of this name, parsed.

    Raises:
        UnknownBoard: there is no board of this name.
    """
    return parse_board(json.loads(board_file(name)))


def add_board(name: str, data: bytes, now: datetime) -> Board:
    """Add a board to the table, from a file in the format damrak-board/1.

    Raises:
        BadBoard: the name is taken or not valid, or the file is not a valid board.
    """
    if not re.fullmatch(_NAME, name):
        raise BadBoard(codes.InvalidSlug(name))
    if name in board_names() or Board.objects.filter(name=name).exists():
        raise BadBoard(codes.BoardExists(name))
    try:
        source = read_json(data)
        parse_board(source)
    except BoardError as problem:
        raise BadBoard(codes.InvalidBoard(name, str(problem))) from None
    except StrictJsonError as problem:
        raise BadBoard(codes.InvalidBoard(name, f"expected {problem}")) from None
    return _stored(name, source, now)


def check_pool(pool: list[str]) -> None:
    """Check that every entry of a ladder's pool refers to a board.

    Raises:
        UnknownBoard, BadBoard
    """
    if not pool:
        raise BadBoard(codes.NoBoards())
    for entry in pool:
        if entry.startswith(DAILY):
            _locations(entry)
        else:
            board_of(entry)


def board_for(ladder: Ladder, now: datetime, chance: float) -> str:
    """Return the name of the board for a block of this ladder; `chance` is in [0, 1).

    A missing board of the day is created and stored first, which takes a moment, so call this
    outside of transactions.

    Raises:
        UnknownBoard: the pool names a board that does not exist.
    """
    return board_from(ladder.boards, ladder.slug, now, chance)


def board_from(pool: Sequence[str], slug: str, now: datetime, chance: float) -> str:
    """Return the name of a board of this pool, as `board_for` does for a ladder's pool.

    Boards of the day belong to the slug, so that each competition has its own.

    Raises:
        UnknownBoard: the pool names a board that does not exist.
    """
    entry = pool[int(chance * len(pool))]
    if entry.startswith(DAILY):
        return daily_board(slug, _locations(entry), now)
    board_file(entry)
    return entry


def daily_board(slug: str, locations: int, now: datetime) -> str:
    """Return the name of the board of this size and slug on the day of `now`, in UTC."""
    day = now.astimezone(UTC).date()
    name = f"{slug}-{day.isoformat()}-{locations}"
    if not Board.objects.filter(name=name).exists():
        _stored(name, _generated(slug, day, locations), now)
    return name


def prepare_boards(now: datetime) -> int:
    """Create the boards of the day of all open ladders; return how many exist now."""
    found = 0
    for ladder in Ladder.objects.filter(is_open=True).order_by("pk"):
        for entry in ladder.boards:
            if not entry.startswith(DAILY):
                continue
            try:
                daily_board(ladder.slug, _locations(entry), now)
            except BadBoard:  # must not stop the other ladders
                _log.exception("no_board_of_the_day", extra={"ladder": ladder.slug})
            else:
                found += 1
    return found


def _stored(name: str, source: object, now: datetime) -> Board:
    text = _written(source).decode()
    try:
        with transaction.atomic():
            return Board.objects.create(name=name, file=text, created=now)
    except IntegrityError:  # another process was faster
        found = Board.objects.get(name=name)
        if found.file != text:
            raise BadBoard(codes.BoardExists(name)) from None
        return found


def _generated(slug: str, day: date, locations: int) -> object:
    """Return the first healthy board of a series fixed by the secret, the ladder and the day."""
    for number in range(_MOST_TRIES):
        text = f"damrak-daily-board/1 {slug} {day.isoformat()} {locations} {number}"
        digest = hmac.digest(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256)
        source = generate(int.from_bytes(digest[:7], "big"), locations)
        draws = random.Random(digest)  # noqa: S311 - for the games that test its health
        if health(parse_board(source), HEALTH_GAMES, draws.random).is_healthy:
            return source
    raise BadBoard(codes.NoHealthyBoard(_MOST_TRIES))  # has never happened


def _locations(entry: str) -> int:
    text = entry.removeprefix(DAILY)
    if not (text.isascii() and text.isdigit() and int(text) in LOCATIONS):
        raise BadBoard(codes.BoardLocations(entry, DAILY, LOCATIONS[0], LOCATIONS[-1]))
    return int(text)


@cache
def _engine_file(name: str) -> bytes:
    return _written(load_board(name).source)


def _written(source: object) -> bytes:
    return json.dumps(source, ensure_ascii=False, indent=1).encode()
