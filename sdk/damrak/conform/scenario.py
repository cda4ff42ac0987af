"""The definition of a scenario, and the exceptions for a client that fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damrak.conform.stage import Stage

Run = Callable[["Stage"], Awaitable[None]]


class Failed(Exception):
    """The client did something wrong, which the message describes in one sentence."""


class Absent(Failed):
    """The client is not connected, or its program has ended."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One situation for a client to handle.

    `tells` is what a client that passes can do, `see` the heading of docs/protocol.md to read if it
    does not pass.
    """

    name: str
    tells: str
    see: str
    run: Run
