"""What a referee and its runner say to each other: one JSON object a line, strictly read."""

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
    """First from the referee: how to work, and in which folder; `settings` is `to_json` of them."""

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
    """Start a seat's process: of a house bot, or of an archive in the store."""

    seat: str
    house: str | None
    archive: str | None
    socket: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End a seat's process, if it has not ended by itself."""

    seat: str


@dataclass(frozen=True, slots=True)
class Locate:
    """Have a seat's process dump its stack: its time is up."""

    seat: str


@dataclass(frozen=True, slots=True)
class Look:
    """Look up what uploaded bots find in their sandbox."""


@dataclass(frozen=True, slots=True)
class Up:
    """First from the runner: what it can do."""

    isolation: str
    missing: list[str]


@dataclass(frozen=True, slots=True)
class Installed:
    """The archive is in the store; or breaks a rule, or this machine failed, for this reason."""

    number: int
    refused: str | None = None
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class Exited:
    """A seat's process is gone, and all that belonged to it."""

    seat: str
    cause: str
    detail: str
    owner: str
    output: str
    cpu_us: int
    memory_bytes: int
    stack: str = ""  # where the bot was when it was asked


@dataclass(frozen=True, slots=True)
class Looked:
    """What uploaded bots find, as `BotRuntime.to_json` makes it; None: this machine failed."""

    runtime: dict[str, Any] | None
    failed: str | None = None


Order = Begin | Install | Start | Stop | Locate | Look
Report = Up | Installed | Exited | Looked


class BadLine(ValueError):
    """A line is none of the known messages."""


def line_of(message: Order | Report) -> bytes:
    """A message as a line."""
    return json.dumps({"kind": type(message).__name__, **asdict(message)}).encode() + b"\n"


def parse_order(line: bytes) -> Order:
    """What a referee says.

    Raises:
        BadLine: it says no such thing.
    """
    message = _parse(line, (Begin, Install, Start, Stop, Locate, Look))
    assert isinstance(message, Begin | Install | Start | Stop | Locate | Look)
    return message


def parse_report(line: bytes) -> Report:
    """What a runner says.

    Raises:
        BadLine: it says no such thing.
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
        # bool is an int to isinstance, and no number here
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
