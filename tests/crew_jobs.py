"""Jobs for crews under test, in a separate module so that new processes can import them."""

from __future__ import annotations

import errno
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Squares:
    """Squares numbers, later ones faster; `keep` leaves a file, `discard` removes it."""

    count: int
    folder: Path
    seconds: float = 0.0

    def do(self, number: int) -> int:
        time.sleep(self.seconds * (1 - number / self.count))
        return number

    def keep(self, work: int) -> int:
        (self.folder / str(work)).touch()
        return work * work

    def discard(self, number: int) -> None:
        (self.folder / str(number)).unlink(missing_ok=True)


@dataclass
class Dying(Squares):
    """A job whose process is killed at the fourth piece."""

    def do(self, number: int) -> int:
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number


@dataclass
class Wrong(Squares):
    """A job that fails at the fourth piece."""

    def do(self, number: int) -> int:
        if number == 3:
            raise ArithmeticError("three is too much")
        return number


@dataclass
class Full(Squares):
    """A job for which the disk is full when the fourth piece is stored."""

    def keep(self, work: int) -> int:
        if work == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.folder / "3"))
        return super().keep(work)


@dataclass
class Interrupting(Squares):
    """A job that receives Ctrl-C in every process after the twentieth piece.

    Pieces far behind it are never finished, so none of them is kept, however late the signal
    arrives.
    """

    def do(self, number: int) -> int:
        time.sleep(0.005 if number < 30 else 3600)
        return number

    def keep(self, work: int) -> int:
        if work == 20:
            os.kill(os.getppid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
        return super().keep(work)
