"""Replays made small, and back, without trusting what says how big it will be."""

from __future__ import annotations

from typing import Final

import zstandard

LIMIT: Final = 32 * 1024 * 1024
"""No replay is bigger than this; one of a full match has about 60 KB."""

_LEVEL: Final = 12


def compress(data: bytes) -> bytes:
    """These bytes made small."""
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(data)


def decompress(data: bytes) -> bytes:
    """The bytes that were made small.

    Raises:
        ValueError: nobody compressed this here.
    """
    try:
        size = zstandard.frame_content_size(data)
        if not 0 <= size <= LIMIT:
            raise ValueError("is too big")
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as problem:
        raise ValueError(f"is not compressed: {problem}") from None
