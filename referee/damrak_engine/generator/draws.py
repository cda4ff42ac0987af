"""Random numbers of the generator: hashes of a seed, the same on every machine and Python.

They are unrelated to the dice of a game: boards are generated before any game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """An endless sequence of numbers that depends on a seed and a purpose."""

    def __init__(self, seed: int, purpose: str) -> None:
        self._start = hashlib.sha256(f"damrak-generator/1 {seed} {purpose}".encode())
        self._blocks = 0
        self._numbers: list[int] = []

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1, each equally likely."""
        return self._number() * n >> 64

    def between(self, low: int, high: int) -> int:
        """Return a number from low to high, both included."""
        return low + self.below(high - low + 1)

    def fraction(self) -> float:
        """Return a number in [0, 1), as `QuickDice` requires."""
        return (self._number() >> 11) / (1 << 53)

    def pick(self, items: Sequence[T]) -> T:
        """Return a random item."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return all items in random order."""
        rest = list(items)
        for i in range(len(rest) - 1, 0, -1):
            j = self.below(i + 1)
            rest[i], rest[j] = rest[j], rest[i]
        return rest

    def _number(self) -> int:
        if not self._numbers:
            digest = self._start.copy()
            digest.update(self._blocks.to_bytes(8, "big"))
            self._blocks += 1
            block = digest.digest()
            self._numbers = [int.from_bytes(block[i : i + 8], "big") for i in (24, 16, 8, 0)]
        return self._numbers.pop()
