"""Compression of replays, safe against frames that announce too large a size."""

from __future__ import annotations

from typing import Final

import zstandard

LIMIT: Final = 32 * 1024 * 1024
"""The maximum size of a replay; one of a full match has about 60 KB."""

_LEVEL: Final = 12


def compress(data: bytes) -> bytes:
    """Compress these bytes."""
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(data)


def decompress(data: bytes) -> bytes:
    """Decompress these bytes.

    Raises:
        ValueError: they are not compressed, or too big.
    """
    try:
        size = zstandard.frame_content_size(data)
        if not 0 <= size <= LIMIT:
            raise ValueError("is too big")
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as problem:
        raise ValueError(f"is not compressed: {problem}") from None
