"""Status reports of bubblewrap about a sandbox, and the end of the processes inside."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from damrak_referee.runner.spawn import wait_readable, was_started_here

_INNER_SECONDS: Final = 30.0


@dataclass(slots=True)
class Status:
    """The reports of bubblewrap: the process inside, and the program's exit code."""

    descriptor: int
    outer: int = 0
    """bubblewrap's own process id, which is not reused before the runner reaps the process."""
    exit_code: int | None = None
    _line: bytes = b""
    _inner: int | None = field(default=None)
    _inner_pid: int = 0

    @classmethod
    def make(cls) -> tuple[Status, int]:
        """Return a new status, and the descriptor for bubblewrap to write to."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        status = cls(reading)
        asyncio.get_running_loop().add_reader(reading, status.read)
        return status, writing

    def read(self) -> None:
        """Read the reports written so far."""
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.descriptor, 1 << 12):
                self._line += data
                *lines, self._line = self._line.split(b"\n")
                for line in lines:
                    self._hear(json.loads(line))
            asyncio.get_running_loop().remove_reader(self.descriptor)

    def signal_program(self, number: signal.Signals) -> None:
        """Send a signal to the bot's program, the first child of process 1 inside."""
        self.read()
        if self._inner is None:
            return
        listed = Path(f"/proc/{self._inner_pid}/task/{self._inner_pid}/children")
        with contextlib.suppress(OSError, ValueError, IndexError):
            program = int(listed.read_text().split()[0])
            handle = os.pidfd_open(program)
            try:
                # While process 1 lives, neither its id nor its child's can be reused.
                if _parent(program) == self._inner_pid and _is_alive(self._inner):
                    signal.pidfd_send_signal(handle, number)
            finally:
                os.close(handle)

    async def inner_gone(self) -> bool:
        """Wait until all processes inside have ended, process 1 last; return whether they have."""
        self.read()
        clean = True
        if self._inner is not None:
            gone = wait_readable(self._inner)
            try:
                async with asyncio.timeout(_INNER_SECONDS):
                    with contextlib.suppress(ProcessLookupError):
                        signal.pidfd_send_signal(self._inner, signal.SIGKILL)
                    await gone
            except TimeoutError:
                asyncio.get_running_loop().remove_reader(self._inner)
                clean = False
        self.close()
        return clean

    def close(self) -> None:
        """Close the descriptors."""
        asyncio.get_running_loop().remove_reader(self.descriptor)
        os.close(self.descriptor)
        if self._inner is not None:
            os.close(self._inner)
            self._inner = None

    def _hear(self, said: dict[str, Any]) -> None:
        if "child-pid" in said:
            with contextlib.suppress(OSError):
                self._inner = os.pidfd_open(said["child-pid"])
                # After the process has ended, another one may have its id.
                if not _is_child(said["child-pid"], self.outer):
                    os.close(self._inner)
                    self._inner = None
                self._inner_pid = said["child-pid"]
        if "exit-code" in said:
            self.exit_code = int(said["exit-code"])


def _is_child(process: int, of: int) -> bool:
    """Return whether `process` is a child of `of`, or became ours when that ended."""
    parent = _parent(process)
    return parent == of or (parent == os.getpid() and not was_started_here(process))


def _parent(process: int) -> int:
    said = Path(f"/proc/{process}/stat").read_text()
    return int(said.rpartition(")")[2].split()[1])


def _is_alive(descriptor: int) -> bool:
    """Return whether the process of this pidfd is still running."""
    return not select.select([descriptor], [], [], 0)[0]
