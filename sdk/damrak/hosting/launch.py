"""How children come to be, as the host sees it.

Where processes can fork, each host process has one server (`server`), started when it is first
needed. It has the engine and the SDK loaded and never a bot, so that each child it forks is fresh
and still begins warm. Where they cannot, each child is a new interpreter.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import Final, Protocol

import damrak.interpreted
import damrak_engine.rules
from damrak.errors import HostError
from damrak.hosting.child import HEADER, Table
from damrak.hosting.output import Output, PipeOutput, ThreadOutput
from damrak_engine.rules import Rules

TABLES: Final = 8  # that a server keeps ready; the oldest goes first
PATIENCE: Final = 10.0  # seconds for what only a broken machine takes so long for
REMEMBERED: Final = 64  # children whose exit status is kept
CAN_FORK: Final = hasattr(os, "fork") and hasattr(socket, "send_fds")


class Child(Protocol):
    """A process that waits for its order."""

    line: socket.socket
    output: Output

    def where(self) -> None:
        """Have it print where it is, if it can."""

    def kill(self) -> None:
        """End it and all that it started."""

    def status(self, seconds: float) -> int | None:
        """Its exit status, or minus the signal that killed it; None if it still lives then."""


class Launcher(Protocol):
    """A source of children."""

    def table(self, rules: Rules) -> int | Table:
        """What to tell the next child about the table."""

    def start(self, output_bytes: int) -> Child:
        """A new child.

        Raises:
            HostError: there can be none.
        """

    def close(self) -> None:
        """End every child."""


def table_of(rules: Rules) -> Table:
    """The table that has these rules."""
    return Table(rules.board.source, rules.seats, rules.options)


class ForkLauncher:
    """Children forked from a server of our own."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._control, theirs = socket.socketpair()
        with theirs:
            self._server = subprocess.Popen(  # noqa: S603 - our own interpreter
                _interpreter("server", str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_environment(),
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
            self._notices += self._control.recv(1 << 16)
        except (BlockingIOError, TimeoutError):
            return
        except OSError as problem:
            raise HostError(f"the server of bot processes is gone ({problem})") from None
        *lines, self._notices = self._notices.split(b"\n")
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


class PlainLauncher:
    """Every child a new interpreter."""

    def __init__(self) -> None:
        self.process = os.getpid()

    def table(self, rules: Rules) -> Table:
        """All about the table."""
        return table_of(rules)

    def start(self, output_bytes: int) -> PlainChild:
        """Start an interpreter."""
        return PlainChild(output_bytes)

    def close(self) -> None:
        """Nothing is left between games."""


class PlainChild:
    """An interpreter that does nothing but play this match."""

    def __init__(self, output_bytes: int) -> None:
        self.line, theirs = socket.socketpair()
        windows = sys.platform == "win32"
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                _interpreter("child", *([] if windows else [str(theirs.fileno())])),
                pass_fds=() if windows else (theirs.fileno(),),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=_environment(),
                start_new_session=True,
            )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            if sys.platform == "win32":
                self._process.stdin.write(theirs.share(self._process.pid))
            self._process.stdin.close()
        self.output: Output = ThreadOutput(self._process.stdout, output_bytes)

    def where(self) -> None:
        """Have it print where it is."""
        if sys.platform != "win32":
            self._process.send_signal(signal.SIGUSR1)

    def kill(self) -> None:
        """End it, and what is in its process group."""
        if sys.platform != "win32":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def status(self, seconds: float) -> int | None:
        """Its exit status, or minus the signal that killed it; None if it still lives then."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


def _environment() -> dict[str, str]:
    """Ours, but with hashing, and so the order of sets, the same in every game."""
    return {**os.environ, "PYTHONHASHSEED": "0"}


def _interpreter(module: str, *arguments: str) -> list[str]:
    """The command for an interpreter like this one that runs `main` of a module in this folder."""
    boot = f"import sys; sys.path[:] = {sys.path!r}\n"
    if Path(damrak_engine.rules.__file__ or "").suffix == ".py":
        # Children play by the same build of the engine; by path, as the package would load it.
        path = damrak.interpreted.__file__
        boot += f"import runpy; runpy.run_path({path!r})['force_interpreted_engine']()\n"
    boot += f"from damrak.hosting.{module} import main\nmain()"
    return [sys.executable, "-c", boot, *arguments]
