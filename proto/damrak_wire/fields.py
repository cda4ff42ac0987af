"""What single fields may hold: each function returns its value, or raises WireError naming it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeVar

from google.protobuf.message import DecodeError, Message

from damrak_engine.effects import printable
from damrak_wire.errors import WireError

NAME_LIMIT: Final = 64  # of what a bot calls itself
ID_LIMIT: Final = 128
TEXT_LIMIT: Final = 500
TICKET_LIMIT: Final = 256

_SHA256: Final = re.compile("[0-9a-f]{64}")
M = TypeVar("M", bound=Message)


def message(kind: type[M], data: bytes, where: str) -> M:
    """The message in these bytes."""
    try:
        return kind.FromString(data)
    except DecodeError:
        raise WireError(where, f"these {len(data)} bytes are no {kind.DESCRIPTOR.name}") from None


def member(parent: Message, name: str, where: str) -> None:
    """Demand that a message field is there."""
    if not parent.HasField(name):
        raise WireError(f"{where}.{name}", "is missing")


def whole(value: int, low: int, high: int, where: str) -> int:
    """A number from `low` to `high`."""
    if not low <= value <= high:
        raise WireError(where, f"must be from {low} to {high}, not {value}")
    return value


def length(items: Sequence[object], wanted: int, where: str) -> None:
    """Demand so many items."""
    if len(items) != wanted:
        raise WireError(where, f"must hold {wanted}, not {len(items)}")


def identifier(value: str, where: str) -> str:
    """A name that something is known by: short, printable, not empty."""
    if not value:
        raise WireError(where, "is missing")
    if len(value) > ID_LIMIT or not value.isprintable():
        raise WireError(where, f"must be at most {ID_LIMIT} printable characters")
    return value


def short(value: str, limit: int, where: str) -> str:
    """A text that is not too long; it may be empty."""
    if len(value) > limit:
        raise WireError(where, f"must be at most {limit} characters, not {len(value)}")
    return value


def sha256(value: str, where: str) -> str:
    """A hash in lower-case hexadecimal."""
    if not _SHA256.fullmatch(value):
        raise WireError(where, "must be 64 lower-case hexadecimal digits")
    return value


def cut(text: str, limit: int) -> str:
    """A text of ours made fit to be sent: its first characters, all of them valid."""
    return text if len(text) <= limit and text.isascii() else printable(text, limit)
