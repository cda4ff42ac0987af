"""Processes that are started again whenever they are gone."""

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
    """A process that is kept going."""

    def __init__(self, name: str, command: Sequence[str], log: Path) -> None:
        self.name = name
        self._command = [sys.executable, *command]
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False  # by us, as it should

    def keep(self) -> int | None:
        """Start it if it is not running; its exit status if it ended by itself."""
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
        """Its process id, while it runs."""
        if self._process is None or self._process.poll() is not None:
            return None
        return self._process.pid

    def kill(self) -> bool:
        """SIGKILL; whether there was something to kill."""
        if self.pid is None:
            return False
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        return True

    def end(self, seconds: float) -> int:
        """SIGTERM, and its exit status."""
        assert self._process is not None
        self._ended = True
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(seconds)


def kill_child_of(parent: int | None, mark: str) -> bool:
    """SIGKILL to the child whose command line has this mark; whether there was one."""
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
    """What a process was started as; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
