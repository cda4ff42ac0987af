"""Boards and rules: what both sides must have before a position means anything."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from damrak_engine.board import Board, parse_board
from damrak_engine.errors import BoardError, EngineError
from damrak_engine.options import Options, parse_options
from damrak_engine.rules import Rules
from damrak_engine.strictjson import StrictJsonError, canonical, read_json
from damrak_wire.errors import WireError

BOARD_LIMIT: Final = 1 << 20  # bytes
OPTION_LIMIT: Final = 32  # characters of a value


@lru_cache(maxsize=64)
def board_bytes(board: Board) -> bytes:
    """The board as the content of a file.

    Raises:
        WireError: it holds what no file can, which only a board made by hand does.
    """
    try:
        return canonical(board.source)
    except (TypeError, ValueError) as problem:  # a lone surrogate is a ValueError, too
        raise WireError("board", str(problem)) from None


def rules_of(board: bytes, seats: int, options: Mapping[str, str]) -> Rules:
    """The rules of a game on the board in these bytes; the same for the same arguments.

    Raises:
        WireError: naming what is wrong: `board`, `options` or `seats`.
    """
    return _rules(board, seats, tuple(sorted(options.items())))


@lru_cache(maxsize=32)
def _rules(data: bytes, seats: int, options: tuple[tuple[str, str], ...]) -> Rules:
    board = board_of(data)
    chosen = options_of(dict(options))
    try:
        return Rules(board, seats, chosen)
    except EngineError as problem:
        raise WireError("seats", str(problem)) from None


@lru_cache(maxsize=32)
def board_of(data: bytes) -> Board:
    """The board in these bytes; the same for the same bytes."""
    if len(data) > BOARD_LIMIT:
        raise WireError("board", f"must be at most {BOARD_LIMIT} bytes")
    try:
        return parse_board(read_json(data))
    except BoardError as problem:
        raise WireError(f"board.{problem.field}", problem.problem) from None
    except StrictJsonError as problem:
        raise WireError("board", f"expected {problem}") from None


def options_of(given: Mapping[str, str]) -> Options:
    """The options of these names; those left out have their defaults."""
    for value in given.values():
        if len(value) > OPTION_LIMIT:
            raise WireError("options", f"no value has more than {OPTION_LIMIT} characters")
    try:
        return parse_options(dict(given))
    except EngineError as problem:
        raise WireError("options", str(problem)) from None
