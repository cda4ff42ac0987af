"""Boards and rules, which both sides need before they can interpret a position."""

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
    """Return the board as the content of a file.

    Raises:
        WireError: it cannot be serialised, which is possible only for boards built in code.
    """
    try:
        return canonical(board.source)
    except (TypeError, ValueError) as problem:  # a lone surrogate is a ValueError, too
        raise WireError("board", str(problem)) from None


def rules_of(board: bytes, seats: int, options: Mapping[str, str]) -> Rules:
    """Return the rules of a game on the board in these bytes; results are cached.

    Raises:
        WireError: naming the wrong argument: `board`, `options` or `seats`.
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
    """Return the board in these bytes; results are cached."""
    if len(data) > BOARD_LIMIT:
        raise WireError("board", f"must be at most {BOARD_LIMIT} bytes")
    try:
        return parse_board(read_json(data))
    except BoardError as problem:
        raise WireError(f"board.{problem.field}", problem.problem) from None
    except StrictJsonError as problem:
        raise WireError("board", f"expected {problem}") from None


def options_of(given: Mapping[str, str]) -> Options:
    """Return the options with these names; missing ones have their defaults."""
    for value in given.values():
        if len(value) > OPTION_LIMIT:
            raise WireError("options", f"no value has more than {OPTION_LIMIT} characters")
    try:
        return parse_options(dict(given))
    except EngineError as problem:
        raise WireError("options", str(problem)) from None
