"""The messages between a referee and its runner: one JSON object per line, strictly parsed."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final

LINE_LIMIT: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Begin:
    """The first message of the referee: the settings in the form of `to_json`, and the folder."""

    settings: dict[str, Any]
    folder: str


@dataclass(frozen=True, slots=True)
class Install:
    """Take an archive into the store."""

    number: int
    sha256: str
    archive: str


@dataclass(frozen=True, slots=True)
class Start:
    """Start the process of a seat: of a house bot, or of an archive in the store."""

    seat: str
    house: str | None
    archive: str | None
    socket: str
    low_priority: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop the process of a seat, if it is still running."""

    seat: str


@dataclass(frozen=True, slots=True)
class Locate:
    """Request a stack dump from the process of a seat whose time is up."""

    seat: str


@dataclass(frozen=True, slots=True)
class Look:
    """Look up the contents of the sandbox of uploaded bots."""


@dataclass(frozen=True, slots=True)
class Up:
    """The first message of the runner: its capabilities."""

    isolation: str
    missing: list[str]


@dataclass(frozen=True, slots=True)
class Installed:
    """The archive is installed, or the reason why it breaks a rule or this machine failed."""

    number: int
    refused: str | None = None
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class Exited:
    """The process of a seat and all its children are gone."""

    seat: str
    cause: str
    detail: str
    owner: str
    output: str
    cpu_us: int
    memory_bytes: int
    stack: str = ""  # the position of the bot when the dump was requested


@dataclass(frozen=True, slots=True)
class Looked:
    """The contents of the sandbox, as `BotRuntime.to_json` returns them; None after a failure."""

    runtime: dict[str, Any] | None
    failed: str | None = None


Order = Begin | Install | Start | Stop | Locate | Look
Report = Up | Installed | Exited | Looked


class BadLine(ValueError):
    """A line that is not one of the known messages."""


def line_of(message: Order | Report) -> bytes:
    """Return a message as a line."""
    return json.dumps({"kind": type(message).__name__, **asdict(message)}).encode() + b"\n"


def parse_order(line: bytes) -> Order:
    """Return the message of a referee in a line.

    Raises:
        BadLine: it is not a message of a referee.
    """
    message = _parse(line, (Begin, Install, Start, Stop, Locate, Look))
    assert isinstance(message, Begin | Install | Start | Stop | Locate | Look)
    return message


def parse_report(line: bytes) -> Report:
    """Return the message of a runner in a line.

    Raises:
        BadLine: it is not a message of a runner.
    """
    message = _parse(line, (Up, Installed, Exited, Looked))
    assert isinstance(message, Up | Installed | Exited | Looked)
    return message


def _parse(line: bytes, known: tuple[type, ...]) -> object:
    try:
        said = json.loads(line)
    except ValueError as problem:
        raise BadLine(f"not JSON: {problem}") from None
    if not isinstance(said, dict):
        raise BadLine("not an object")
    kinds = {kind.__name__: kind for kind in known}
    kind = kinds.get(str(said.pop("kind", "")))
    if kind is None:
        raise BadLine("no known kind of message")
    wanted = _fields(kind)
    if said.keys() != wanted.keys():
        raise BadLine(f"{kind.__name__} has the wrong fields: {sorted(said)}")
    for name, allowed in wanted.items():
        # For isinstance, bool is an int, but it is not a valid number here.
        if type(said[name]) not in allowed:
            raise BadLine(f"{kind.__name__}.{name} cannot be {said[name]!r}")
    if kind in (Up,) and not all(type(item) is str for item in said["missing"]):
        raise BadLine("Up.missing must be texts")
    return kind(**said)


@cache
def _fields(kind: type) -> Mapping[str, tuple[type, ...]]:
    hints = typing.get_type_hints(kind)
    return {
        name: tuple(
            typing.get_origin(choice) or choice
            for choice in (typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,))
        )
        for name, hint in hints.items()
    }
