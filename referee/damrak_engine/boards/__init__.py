"""Boards that ship with the engine, read from the JSON files in this folder.

This is the only module of the engine that reads package data; the others take boards as arguments.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from damrak_engine.board import Board, parse_board


def board_names() -> tuple[str, ...]:
    """Return the names that `load_board` accepts."""
    entries = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in entries if name.endswith(".json")))


@cache
def load_board(name: str) -> Board:
    """Return a board of the package by name.

    Raises:
        KeyError: no such board; the message lists the existing ones.
    """
    if name not in board_names():
        raise KeyError(f"no board {name!r}; there are: {', '.join(board_names())}")
    return parse_board(json.loads((files(__name__) / f"{name}.json").read_text("utf-8")))
