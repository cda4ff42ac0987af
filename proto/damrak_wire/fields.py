"""Validation of single fields: functions return the value or raise WireError naming it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeVar

from google.protobuf.message import DecodeError, Message

from damrak_engine.effects import printable
from damrak_wire.errors import WireError

NAME_LIMIT: Final = 64  # of the name that a bot chooses
ID_LIMIT: Final = 128
TEXT_LIMIT: Final = 500
TICKET_LIMIT: Final = 256

_SHA256: Final = re.compile("[0-9a-f]{64}")
M = TypeVar("M", bound=Message)


def message(kind: type[M], data: bytes, where: str) -> M:
    """Return the message in these bytes."""
    try:
        return kind.FromString(data)
    except DecodeError:
        raise WireError(where, f"these {len(data)} bytes are no {kind.DESCRIPTOR.name}") from None


def member(parent: Message, name: str, where: str) -> None:
    """Require that a message field is present."""
    if not parent.HasField(name):
        raise WireError(f"{where}.{name}", "is missing")


def whole(value: int, low: int, high: int, where: str) -> int:
    """Return a number, which must be from `low` to `high`."""
    if not low <= value <= high:
        raise WireError(where, f"must be from {low} to {high}, not {value}")
    return value


def length(items: Sequence[object], wanted: int, where: str) -> None:
    """Require `wanted` items."""
    if len(items) != wanted:
        raise WireError(where, f"must hold {wanted}, not {len(items)}")


def identifier(value: str, where: str) -> str:
    """Return an identifier, which must be short, printable and not empty."""
    if not value:
        raise WireError(where, "is missing")
    if len(value) > ID_LIMIT or not value.isprintable():
        raise WireError(where, f"must be at most {ID_LIMIT} printable characters")
    return value


def short(value: str, limit: int, where: str) -> str:
    """Return a text, which must not be too long but may be empty."""
    if len(value) > limit:
        raise WireError(where, f"must be at most {limit} characters, not {len(value)}")
    return value


def sha256(value: str, where: str) -> str:
    """Return a hash, which must be in lower-case hexadecimal."""
    if not _SHA256.fullmatch(value):
        raise WireError(where, "must be 64 lower-case hexadecimal digits")
    return value


def cut(text: str, limit: int) -> str:
    """Return a text cut to `limit` characters, with lone surrogates replaced."""
    return text if len(text) <= limit and text.isascii() else printable(text, limit)
