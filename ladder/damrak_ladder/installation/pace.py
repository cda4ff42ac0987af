"""The pace of a machine: pauses between blocks that leave room for other programs.

Bots must not be slowed down while their clocks run, so the pauses are between blocks. The monitor
of the machine's load (in `damrak-ladder up`) asks for them; a limit of games per minute may be set.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

REST_FILE: Final = "rest-until"
NEXT_FILE: Final = "next-game"
LONGEST_REST_S: Final = 300.0
"""A time further ahead was written before the clock was set back, and is ignored."""


def ask_for_rest(home: Path, until: float) -> None:
    """Start no block on this machine before this time (as of `time.time`)."""
    _write(home / REST_FILE, until)


def book_games(home: Path, games: int, per_minute: int | None, now: float) -> float:
    """Reserve games within this machine's rate; return the seconds to wait before they begin."""
    until = _read(home / REST_FILE)
    if per_minute is not None:
        with _alone(home / f"{NEXT_FILE}.lock"):
            free_from = _read(home / NEXT_FILE)
            # Idle time does not allow a burst afterwards.
            begin = free_from if now < free_from <= now + LONGEST_REST_S else now
            taken = min(begin + games * 60.0 / per_minute, now + LONGEST_REST_S)
            _write(home / NEXT_FILE, taken)
        until = max(until, begin)
    rest = until - now
    return rest if 0 < rest <= LONGEST_REST_S else 0.0


def wait_for_turn(home: Path, games: int, per_minute: int | None) -> None:
    """Wait until a block of this many games may begin on this machine."""
    time.sleep(book_games(home, games, per_minute, time.time()))


def _read(path: Path) -> float:
    try:
        return float(path.read_text("ascii"))
    except (OSError, ValueError):
        return 0.0


def _write(path: Path, when: float) -> None:
    # Replaced atomically, but without fsync: it is worthless after a crash.
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(f"{when:.3f}\n", "ascii")
    draft.replace(path)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
