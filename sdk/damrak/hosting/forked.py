"""Children forked from a server, as the host sees it."""

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

assert sys.platform != "win32"  # where nothing forks, and nobody imports this

TABLES: Final = 8  # that a server keeps ready; the oldest goes first
PATIENCE: Final = 10.0  # seconds for what only a broken machine takes so long for
REMEMBERED: Final = 64  # children whose exit status is kept


class ForkLauncher:
    """Children forked from a server of our own."""

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
                start_new_session=True,  # Ctrl-C is for us: we end the server
            )
        self._children = 0
        self._ended: dict[int, int] = {}
        self._notices = b""
        self._tables: dict[int, Rules] = {}
        self._table_count = 0

    def table(self, rules: Rules) -> int:
        """The key of a table that children are born with."""
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
        """Fork a child; when it runs is up to the server."""
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
        """End the server, and with it every child."""
        self._control.close()
        if self.process == os.getpid():
            try:
                self._server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()

    def signal(self, child: int, word: str) -> None:
        """Have the server do something to a child; if the server is gone, so is the child."""
        with contextlib.suppress(HostError):
            self._command((word, child))

    def status(self, child: int, seconds: float) -> int | None:
        """The exit status of a child, if it ends in this time."""
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
        """Take in what the server said; wait for something if there is nothing."""
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
    """A child of the server."""

    def __init__(
        self, launcher: ForkLauncher, number: int, line: socket.socket, output: Output
    ) -> None:
        self.line = line
        self.output = output
        self._launcher = launcher
        self._number = number

    def where(self) -> None:
        """Have it print where it is."""
        self._launcher.signal(self._number, "where")

    def kill(self) -> None:
        """End it and all that it started."""
        self._launcher.signal(self._number, "kill")

    def status(self, seconds: float) -> int | None:
        """Its exit status, or minus the signal that killed it; None if it still lives then."""
        return self._launcher.status(self._number, seconds)
