"""Children forked from a server process, from the host's side."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import socket
import subprocess
import sys
from time import monotonic
from typing import Final

from damrak.errors import HostError
from damrak.hosting.child import HEADER
from damrak.hosting.launch import environment, interpreter, table_of
from damrak.hosting.output import Output, PipeOutput
from damrak_engine.rules import Rules

assert sys.platform != "win32"  # not imported on Windows, which has no fork

TABLES: Final = 8  # tables that a server keeps ready; the oldest is removed first
PATIENCE: Final = 10.0  # seconds for operations that take this long only on a broken machine
REMEMBERED: Final = 64  # number of children whose exit status is kept


class ForkLauncher:
    """Launches children by forking from its own server process."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._control, theirs = socket.socketpair()
        with theirs:
            self._server = subprocess.Popen(  # noqa: S603 - our own interpreter
                interpreter("server", str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment(),
                start_new_session=True,  # Ctrl-C is for this process, which ends the server
            )
        self._children = 0
        self._ended: dict[int, int] = {}
        self._notices = b""
        self._tables: dict[int, Rules] = {}
        self._table_count = 0

    def table(self, rules: Rules) -> int:
        """Return the key of a table that is loaded in the server before it forks."""
        for key, known in self._tables.items():
            if known is rules:
                return key
        self._table_count += 1
        self._tables[self._table_count] = rules
        if len(self._tables) > TABLES:
            del self._tables[next(iter(self._tables))]
        self._command(("table", self._table_count, table_of(rules)))
        return self._table_count

    def start(self, output_bytes: int) -> ForkedChild:
        """Fork a child; the server decides when."""
        self._listen(0.0)
        self._children += 1
        self._ended.pop(self._children - REMEMBERED, None)
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        try:
            self._command(("start", self._children), theirs.fileno(), writing)
        except HostError:
            ours.close()
            os.close(reading)
            raise
        finally:
            theirs.close()
            os.close(writing)
        return ForkedChild(self, self._children, ours, PipeOutput(reading, output_bytes))

    def close(self) -> None:
        """End the server and all its children."""
        self._control.close()
        if self.process == os.getpid():
            try:
                self._server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()

    def signal(self, child: int, word: str) -> None:
        """Send a command for a child; if the server has exited, so have its children."""
        with contextlib.suppress(HostError):
            self._command((word, child))

    def status(self, child: int, seconds: float) -> int | None:
        """Return the exit status of a child, or None if it does not end in this time."""
        deadline = monotonic() + seconds
        while child not in self._ended and (left := deadline - monotonic()) > 0:
            self._listen(left)
        return self._ended.get(child)

    def _command(self, command: tuple[object, ...], *descriptors: int) -> None:
        payload = pickle.dumps(command)
        header = len(payload).to_bytes(HEADER, "little")
        try:
            self._control.settimeout(PATIENCE)
            if descriptors:
                socket.send_fds(self._control, [header], list(descriptors))
            else:
                self._control.sendall(header)
            self._control.sendall(payload)
        except OSError as problem:
            raise HostError(f"the server of bot processes is gone ({problem})") from None

    def _listen(self, seconds: float) -> None:
        """Process notices of the server, waiting for one if there are none."""
        self._control.settimeout(seconds)
        try:
            news = self._control.recv(1 << 16)
        except (BlockingIOError, TimeoutError):
            return
        except OSError as problem:
            raise HostError(f"the server of bot processes is gone ({problem})") from None
        if not news:
            raise HostError("the server of bot processes is gone")
        *lines, self._notices = (self._notices + news).split(b"\n")
        for line in lines:
            child, status = json.loads(line)
            if status is None:
                raise HostError("no process could be started for a bot")
            self._ended[child] = status


class ForkedChild:
    """A child forked by the server."""

    def __init__(
        self, launcher: ForkLauncher, number: int, line: socket.socket, output: Output
    ) -> None:
        self.line = line
        self.output = output
        self._launcher = launcher
        self._number = number

    def where(self) -> None:
        """Make the child print its stack."""
        self._launcher.signal(self._number, "where")

    def kill(self) -> None:
        """Kill the child and all processes it has started."""
        self._launcher.signal(self._number, "kill")

    def status(self, seconds: float) -> int | None:
        """Return the exit status, or minus the signal number; None if it is still running."""
        return self._launcher.status(self._number, seconds)
