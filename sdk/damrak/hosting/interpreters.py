"""Children that are new interpreters, from the host's side."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys

from damrak.hosting.child import Table
from damrak.hosting.launch import environment, interpreter, table_of
from damrak.hosting.output import Output, ThreadOutput
from damrak_engine.rules import Rules


class PlainLauncher:
    """Starts a new interpreter for every child."""

    def __init__(self) -> None:
        self.process = os.getpid()

    def table(self, rules: Rules) -> Table:
        """Return the complete table."""
        return table_of(rules)

    def start(self, output_bytes: int) -> PlainChild:
        """Start an interpreter."""
        return PlainChild(output_bytes)

    def close(self) -> None:
        """Do nothing: no process is kept between games."""


class PlainChild:
    """A new interpreter that plays one match."""

    def __init__(self, output_bytes: int) -> None:
        self.line, theirs = socket.socketpair()
        windows = sys.platform == "win32"
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                interpreter("child", *([] if windows else [str(theirs.fileno())])),
                pass_fds=() if windows else (theirs.fileno(),),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment(),
                start_new_session=True,
            )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            if sys.platform == "win32":
                self._process.stdin.write(theirs.share(self._process.pid))
            self._process.stdin.close()
        self.output: Output = ThreadOutput(self._process.stdout, output_bytes)

    def where(self) -> None:
        """Make the child print its stack."""
        if sys.platform != "win32":
            self._process.send_signal(signal.SIGUSR1)

    def kill(self) -> None:
        """Kill the child and its process group."""
        if sys.platform != "win32":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def status(self, seconds: float) -> int | None:
        """Return the exit status, or minus the signal number; None if it is still running."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
