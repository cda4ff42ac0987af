"""Reading untrusted files with a limit on their size."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from damrak_engine.errors import BoardError, ReplayError

LARGEST_REPLAY: Final = 16 * 2**20
"""In bytes. The longest match with a note on every decision is far smaller."""

LARGEST_BOARD: Final = 2**20
"""In bytes; the limit of referees."""


def read_replay(path: Path) -> bytes:
    """Return the content of a presumed replay file, which may be a pipe.

    Raises:
        ReplayError: it is larger than any replay.
        OSError: it cannot be read.
    """
    data = _read(path, LARGEST_REPLAY)
    if len(data) > LARGEST_REPLAY:
        raise ReplayError("header", f"a replay, which has at most {LARGEST_REPLAY:,} bytes")
    return data


def read_board(path: Path) -> bytes:
    """Return the content of a presumed board file, which may be a pipe.

    Raises:
        BoardError: it is larger than any board.
        OSError: it cannot be read.
    """
    data = _read(path, LARGEST_BOARD)
    if len(data) > LARGEST_BOARD:
        raise BoardError("board", f"must have at most {LARGEST_BOARD:,} bytes")
    return data


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most + 1)
