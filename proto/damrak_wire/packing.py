"""Protobuf's own encoding, as far as messages are put together by hand.

Serialised fields may stand one after the other, in any number of pieces, and a field that is 0 may
be there or not. So what seldom changes, or what many messages share, is encoded once. The numbers
of fields come from the protocol itself. https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from google.protobuf.message import Message

KEPT: Final = 4096  # encoded values of a kind
SHORT: Final = 1024  # numbers below it are encoded beforehand: all actions of most boards


def numbers_of(message: type[Message]) -> dict[str, int]:
    """The number of each field of a message by its name."""
    return {field.name: field.number for field in message.DESCRIPTOR.fields}


def varint(number: int) -> bytes:
    """A number of 0 or more, seven bits a byte."""
    return _SHORT[number] if 0 <= number < SHORT else _varint(number)


def _varint(number: int) -> bytes:
    if number < 0:
        raise ValueError(f"{number} is negative")
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


_SHORT: Final = [_varint(number) for number in range(SHORT)]


def number(field: int, value: int) -> bytes:
    """A field that holds a number; nothing if it is 0, as protobuf has it."""
    return varint(field << 3) + varint(value) if value else b""


def numbers(fields: Iterable[int], values: Iterable[int]) -> bytes:
    """Fields that hold a number each."""
    return b"".join([number(field, value) for field, value in zip(fields, values, strict=True)])


def packed(field: int, values: Sequence[int]) -> bytes:
    """A repeated field of numbers."""
    if not values:
        return b""
    return chunk(field, b"".join([varint(value) for value in values]))


def packed_small(field: int, values: tuple[int, ...]) -> bytes:
    """The same, fast for numbers that seldom are more than 127: those are bytes as they are."""
    if not values:
        return b""
    try:
        payload = bytes(values)
    except ValueError:
        return packed(field, values)
    return chunk(field, payload) if payload.isascii() else packed(field, values)


@lru_cache(maxsize=KEPT)
def packed_often(field: int, values: tuple[int, ...]) -> bytes:
    """The same, for values that come again."""
    return packed(field, values)


def fixed(field: int, values: tuple[int, ...]) -> bytes:
    """A repeated field of numbers of eight bytes."""
    if not values:
        return b""
    return chunk(field, b"".join([value.to_bytes(8, "little") for value in values]))


@lru_cache(maxsize=KEPT)
def bit_sets(field: int, values: tuple[int, ...]) -> bytes:
    """A field of bytes for each of these sets of bits."""
    return b"".join(
        [chunk(field, bits.to_bytes(bits.bit_length() + 7 >> 3, "little")) for bits in values]
    )


def chunk(field: int, payload: bytes) -> bytes:
    """A field that holds bytes, text, a message or packed numbers."""
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def fixed_tag(field: int) -> bytes:
    """What stands before a number of eight bytes."""
    return varint(field << 3 | 1)
