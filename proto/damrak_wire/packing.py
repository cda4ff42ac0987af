"""Protobuf's own encoding, as far as messages are put together by hand.

Serialised fields may stand one after the other in any number of pieces, so what many messages
share is encoded once. https://protobuf.dev/programming-guides/encoding/ describes the format.
"""

from __future__ import annotations

from typing import Final

_ONE_BYTE: Final = tuple([bytes([number]) for number in range(128)])


def varint(number: int) -> bytes:
    """A number of 0 or more, seven bits a byte."""
    if number < 128:
        return _ONE_BYTE[number]
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


def chunk(field: int, payload: bytes) -> bytes:
    """A field that holds bytes, text, a message or packed numbers."""
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def number(field: int, value: int) -> bytes:
    """A field that holds a varint; nothing if it is 0, as protobuf has it."""
    return varint(field << 3) + varint(value) if value else b""
