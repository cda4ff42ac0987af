"""Random numbers that can be drawn again from a published seed."""

from __future__ import annotations

from hashlib import sha256
from random import Random


def seed_text(seed: bytes | str) -> str:
    """Returns a seed as text that can be published."""
    return seed.hex() if isinstance(seed, bytes) else seed


def generator(seed: bytes | str, *purpose: object) -> Random:
    """Returns a generator of random numbers for one purpose."""
    text = "\n".join([seed_text(seed), *map(str, purpose)])
    return Random(int.from_bytes(sha256(text.encode()).digest()))  # noqa: S311 - published anyway
