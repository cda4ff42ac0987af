"""What bubblewrap says about its inside while it runs, and how that is seen off."""

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
    """What bubblewrap says about its inside: the process there, and how the program ended."""

    descriptor: int
    outer: int = 0
    """bubblewrap's own process, which is ours to bury, so that the number stays its own."""
    exit_code: int | None = None
    _line: bytes = b""
    _inner: int | None = field(default=None)
    _inner_pid: int = 0

    @classmethod
    def make(cls) -> tuple[Status, int]:
        """One of these, and the descriptor for bubblewrap to write to."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        status = cls(reading)
        asyncio.get_running_loop().add_reader(reading, status.read)
        return status, writing

    def read(self) -> None:
        """Take in what has been said."""
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
                # Process 1 still lives, so that its number and its child's are theirs.
                if _parent(program) == self._inner_pid and _is_alive(self._inner):
                    signal.pidfd_send_signal(handle, number)
            finally:
                os.close(handle)

    async def inner_gone(self) -> bool:
        """Wait until nothing inside lives, its process 1 being the last to go; whether it is so."""
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
        """Let go of it."""
        asyncio.get_running_loop().remove_reader(self.descriptor)
        os.close(self.descriptor)
        if self._inner is not None:
            os.close(self._inner)
            self._inner = None

    def _hear(self, said: dict[str, Any]) -> None:
        if "child-pid" in said:
            with contextlib.suppress(OSError):
                self._inner = os.pidfd_open(said["child-pid"])
                # The number of one that has ended may be another's by now.
                if not _is_child(said["child-pid"], self.outer):
                    os.close(self._inner)
                    self._inner = None
                self._inner_pid = said["child-pid"]
        if "exit-code" in said:
            self.exit_code = int(said["exit-code"])


def _is_child(process: int, of: int) -> bool:
    """Whether `process` is bubblewrap's, or was and is ours since that has died."""
    parent = _parent(process)
    return parent == of or (parent == os.getpid() and not was_started_here(process))


def _parent(process: int) -> int:
    said = Path(f"/proc/{process}/stat").read_text()
    return int(said.rpartition(")")[2].split()[1])


def _is_alive(descriptor: int) -> bool:
    """Whether the process of this pidfd has not ended."""
    return not select.select([descriptor], [], [], 0)[0]
