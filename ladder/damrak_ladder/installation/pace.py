"""How fast this machine may play: the pause between blocks that leaves it room for others.

Bots must not be slowed down while their clocks run, so a machine is spared between blocks. Whoever
watches its load (`damrak-ladder up` does) asks for a rest; a number of games a minute may be set.
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
"""A date beyond this is from a clock that has been set back since, and is not waited for."""


def ask_for_rest(home: Path, until: float) -> None:
    """Let no block begin on this machine before that time (as `time.time` tells it)."""
    _write(home / REST_FILE, until)


def book_games(home: Path, games: int, per_minute: int | None, now: float) -> float:
    """Take so many games out of what this machine may play; how long to wait before they begin."""
    until = _read(home / REST_FILE)
    if per_minute is not None:
        with _alone(home / f"{NEXT_FILE}.lock"):
            free_from = _read(home / NEXT_FILE)
            # A pause earns no burst afterwards.
            begin = free_from if now < free_from <= now + LONGEST_REST_S else now
            taken = min(begin + games * 60.0 / per_minute, now + LONGEST_REST_S)
            _write(home / NEXT_FILE, taken)
        until = max(until, begin)
    rest = until - now
    return rest if 0 < rest <= LONGEST_REST_S else 0.0


def wait_for_turn(home: Path, games: int, per_minute: int | None) -> None:
    """Return when a block of so many games may begin on this machine."""
    time.sleep(book_games(home, games, per_minute, time.time()))


def _read(path: Path) -> float:
    try:
        return float(path.read_text("ascii"))
    except (OSError, ValueError):
        return 0.0


def _write(path: Path, when: float) -> None:
    # Replaced in one step, but not forced to disk: it is worth nothing after a crash.
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
