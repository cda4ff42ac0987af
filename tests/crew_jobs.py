"""Jobs for crews under test; in a module of their own so that new processes can import them."""

from __future__ import annotations

import errno
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Squares:
    """Squares numbers, the later the quicker; `keep` leaves a file, `discard` takes it away."""

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
    """The process that gets the fourth piece is killed."""

    def do(self, number: int) -> int:
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number


@dataclass
class Wrong(Squares):
    """The fourth piece is too much for it."""

    def do(self, number: int) -> int:
        if number == 3:
            raise ArithmeticError("three is too much")
        return number


@dataclass
class Full(Squares):
    """The disk is full when the fourth piece is put away."""

    def keep(self, work: int) -> int:
        if work == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.folder / "3"))
        return super().keep(work)


@dataclass
class Interrupting(Squares):
    """After the twentieth piece somebody presses Ctrl-C, which every process hears.

    Pieces far behind it are never finished, so none of them is, however late it is heard.
    """

    def do(self, number: int) -> int:
        time.sleep(0.005 if number < 30 else 3600)
        return number

    def keep(self, work: int) -> int:
        if work == 20:
            os.kill(os.getppid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
        return super().keep(work)
