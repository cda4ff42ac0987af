"""Protobuf encoding by hand, for messages that are joined from serialised parts.

Serialised fields can be concatenated in any number of parts, and a field that is 0 may be present
or absent. So parts that seldom change, or that many messages share, are encoded once. The numbers
of fields come from the protocol itself. https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from google.protobuf.message import Message

KEPT: Final = 4096  # cached encoded values of each kind
SHORT: Final = 1024  # smaller numbers are encoded in advance: all actions of most boards


def numbers_of(message: type[Message]) -> dict[str, int]:
    """Return the number of each field of a message by its name."""
    return {field.name: field.number for field in message.DESCRIPTOR.fields}


def varint(number: int) -> bytes:
    """Return a number of 0 or more as a varint, with seven bits per byte."""
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
    """Return a field that holds a number; empty if it is 0, as in protobuf."""
    return varint(field << 3) + varint(value) if value else b""


def numbers(fields: Iterable[int], values: Iterable[int]) -> bytes:
    """Return fields that hold one number each."""
    return b"".join([number(field, value) for field, value in zip(fields, values, strict=True)])


def packed(field: int, values: Sequence[int]) -> bytes:
    """Return a repeated field of numbers."""
    if not values:
        return b""
    return chunk(field, b"".join([varint(value) for value in values]))


def packed_small(field: int, values: tuple[int, ...]) -> bytes:
    """Return the same as `packed`, faster if all numbers are below 128, one byte each."""
    if not values:
        return b""
    try:
        payload = bytes(values)
    except ValueError:
        return packed(field, values)
    return chunk(field, payload) if payload.isascii() else packed(field, values)


@lru_cache(maxsize=KEPT)
def packed_often(field: int, values: tuple[int, ...]) -> bytes:
    """Return the same as `packed`, cached for values that recur."""
    return packed(field, values)


def fixed(field: int, values: tuple[int, ...]) -> bytes:
    """Return a repeated field of eight-byte numbers."""
    if not values:
        return b""
    return chunk(field, b"".join([value.to_bytes(8, "little") for value in values]))


@lru_cache(maxsize=KEPT)
def bit_sets(field: int, values: tuple[int, ...]) -> bytes:
    """Return a bytes field for each of these bit sets."""
    return b"".join(
        [chunk(field, bits.to_bytes(bits.bit_length() + 7 >> 3, "little")) for bits in values]
    )


def chunk(field: int, payload: bytes) -> bytes:
    """Return a field that holds bytes, text, a message or packed numbers."""
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def fixed_tag(field: int) -> bytes:
    """Return the tag that precedes an eight-byte number."""
    return varint(field << 3 | 1)
