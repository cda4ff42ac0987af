"""Files that strangers hand over, read no further than they can be true."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from damrak_engine.errors import ReplayError

LARGEST_REPLAY: Final = 16 * 2**20
"""In bytes. The longest match with a note on every decision stays far below it."""


def read_replay(path: Path) -> bytes:
    """What is in a file that is said to hold a replay; it may be a pipe.

    Raises:
        ReplayError: it holds more than any replay.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST_REPLAY + 1)
    if len(data) > LARGEST_REPLAY:
        raise ReplayError("header", f"a replay, which has at most {LARGEST_REPLAY:,} bytes")
    return data
