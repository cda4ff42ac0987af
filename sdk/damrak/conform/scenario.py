"""What a scenario is, and what it raises when the client has not stood it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damrak.conform.stage import Stage

Run = Callable[["Stage"], Awaitable[None]]


class Failed(Exception):
    """The client did something wrong; the message is one sentence that says what."""


class Absent(Failed):
    """The client is not there, or its program has ended."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One thing that clients go through.

    `tells` is what a client that stands it can do, `see` the heading of docs/protocol.md to read
    if it does not.
    """

    name: str
    tells: str
    see: str
    run: Run
