"""Files that strangers hand over, read no further than they can be true."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from damrak_engine.errors import BoardError, ReplayError

LARGEST_REPLAY: Final = 16 * 2**20
"""In bytes. The longest match with a note on every decision stays far below it."""

LARGEST_BOARD: Final = 2**20
"""In bytes, as for referees."""


def read_replay(path: Path) -> bytes:
    """What is in a file that is said to hold a replay; it may be a pipe.

    Raises:
        ReplayError: it holds more than any replay.
        OSError: it cannot be read.
    """
    data = _read(path, LARGEST_REPLAY)
    if len(data) > LARGEST_REPLAY:
        raise ReplayError("header", f"a replay, which has at most {LARGEST_REPLAY:,} bytes")
    return data


def read_board(path: Path) -> bytes:
    """What is in a file that is said to hold a board; it may be a pipe.

    Raises:
        BoardError: it holds more than any board.
        OSError: it cannot be read.
    """
    data = _read(path, LARGEST_BOARD)
    if len(data) > LARGEST_BOARD:
        raise BoardError("board", f"must have at most {LARGEST_BOARD:,} bytes")
    return data


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most + 1)
