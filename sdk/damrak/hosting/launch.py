"""Interfaces and shared code for starting child processes.

If processes can fork (`forked`), each host process has one server, started on first use. The server
loads the engine and the SDK but never runs a bot, so that the children it forks are clean and start
fast. Otherwise (`plain`), each child is a new interpreter.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Protocol

import damrak.interpreted
import damrak_engine.rules
from damrak.hosting.child import Table
from damrak.hosting.output import Output
from damrak_engine.rules import Rules


class Child(Protocol):
    """A child process that waits for its order."""

    line: socket.socket
    output: Output

    def where(self) -> None:
        """Make the child print its stack, if possible."""

    def kill(self) -> None:
        """Kill the child and all processes it has started."""

    def status(self, seconds: float) -> int | None:
        """Return the exit status, or minus the signal number; None if it is still running."""


class Launcher(Protocol):
    """Starts child processes."""

    def table(self, rules: Rules) -> int | Table:
        """Return what to send the next child about the table."""

    def start(self, output_bytes: int) -> Child:
        """Start a child.

        Raises:
            HostError: it cannot be started.
        """

    def close(self) -> None:
        """End every child."""


def table_of(rules: Rules) -> Table:
    """Return the table with these rules."""
    return Table(rules.board.source, rules.seats, rules.options)


def environment() -> dict[str, str]:
    """Return the environment with fixed hashing, so that sets have the same order in every game."""
    return {**os.environ, "PYTHONHASHSEED": "0"}


def interpreter(module: str, *arguments: str) -> list[str]:
    """Return the command that runs `main` of a module of this package in a new interpreter."""
    boot = f"import sys; sys.path[:] = {sys.path!r}\n"
    if Path(damrak_engine.rules.__file__ or "").suffix == ".py":
        # Children use the same build of the engine; loaded by path, without importing the package.
        path = damrak.interpreted.__file__
        boot += f"import runpy; runpy.run_path({path!r})['force_interpreted_engine']()\n"
    boot += f"from damrak.hosting.{module} import main\nmain()"
    return [sys.executable, "-c", boot, *arguments]
