"""Processes that are restarted whenever they have exited."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from processes import children_of

TESTS = Path(__file__).parents[1]


class Victim:
    """A process that is kept running."""

    def __init__(self, name: str, command: Sequence[str], log: Path) -> None:
        self.name = name
        self._command = [sys.executable, *command]
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False  # by the test, as intended

    def keep(self) -> int | None:
        """Start it if it is not running; return its exit status if it exited by itself."""
        if self._process is not None:
            status = self._process.poll()
            if status is None:
                return None
            if status >= 0 and not self._ended:
                return status
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=TESTS,
                start_new_session=True,
            )
        self._ended = False
        return None

    @property
    def pid(self) -> int | None:
        """Its process id, while it is running."""
        if self._process is None or self._process.poll() is not None:
            return None
        return self._process.pid

    def kill(self) -> bool:
        """Send SIGKILL; return whether it was running."""
        if self.pid is None:
            return False
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        return True

    def end(self, seconds: float) -> int:
        """Send SIGTERM, and return the exit status."""
        assert self._process is not None
        self._ended = True
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(seconds)


def kill_child_of(parent: int | None, mark: str) -> bool:
    """Send SIGKILL to the child with this mark in its command line; return whether it exists."""
    if parent is None:
        return False
    for pid in children_of(parent):
        if mark in command_line(pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return False
            return True
    return False


def command_line(pid: int) -> str:
    """Return the command line of a process; empty if it has exited."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
