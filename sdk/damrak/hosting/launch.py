"""How children come to be, as the host sees it.

Where processes can fork (`forked`), each host process has one server, started when it is first
needed. It has the engine and the SDK loaded and never a bot, so that each child it forks is fresh
and still begins warm. Where they cannot (`plain`), each child is a new interpreter.
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


def environment() -> dict[str, str]:
    """Ours, but with hashing, and so the order of sets, the same in every game."""
    return {**os.environ, "PYTHONHASHSEED": "0"}


def interpreter(module: str, *arguments: str) -> list[str]:
    """The command for an interpreter like this one that runs `main` of a module in this folder."""
    boot = f"import sys; sys.path[:] = {sys.path!r}\n"
    if Path(damrak_engine.rules.__file__ or "").suffix == ".py":
        # Children play by the same build of the engine; by path, as the package would load it.
        path = damrak.interpreted.__file__
        boot += f"import runpy; runpy.run_path({path!r})['force_interpreted_engine']()\n"
    boot += f"from damrak.hosting.{module} import main\nmain()"
    return [sys.executable, "-c", boot, *arguments]
