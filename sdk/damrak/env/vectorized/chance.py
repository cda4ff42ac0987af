"""Random numbers of games side by side: each game has its own, from (seed, row, deal).

The k-th number of a game is a function of its key and k (SplitMix64 at position k), so a game can
be played again from its actions alone. `core.c` computes the same numbers.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

BLOCK: Final = 64  # numbers computed at once
_MASK: Final = (1 << 64) - 1
_STEP: Final = 0x9E3779B97F4A7C15
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB
_CHOICES: Final = 0x63686F69636573
_OFFSETS: Final = np.arange(1, BLOCK + 1, dtype=np.uint64) * np.uint64(_STEP)


def key_of(seed: int, row: int, deal: int) -> int:
    """Return the key of the game that was dealt in this row as number `deal`, counted from 1."""
    return _mixed(_mixed(_mixed(seed) + row) + deal)


def choice(key: int, number: int, n: int) -> int:
    """Return the index below `n` that `random_actions` draws after this number of actions."""
    return (_mixed((key ^ _CHOICES) + (number + 1) * _STEP) >> 32) * n >> 32


class Draws:
    """The random numbers of one game for one purpose, in order."""

    def __init__(self, key: int) -> None:
        self._key = key & _MASK
        self.number = 0
        self._block: list[float] = []

    def random(self) -> float:
        """Return the next number in [0, 1)."""
        at = self.number % BLOCK
        if at == 0:
            start = (self._key + self.number * _STEP) & _MASK
            self._block = (_mixed_all(_OFFSETS + np.uint64(start)) / 2.0**32).tolist()
        self.number += 1
        return self._block[at]

    def below(self, n: int) -> int:
        """Return the next number as an index below `n`."""
        return int(self.random() * n)


def draws_of(key: int) -> tuple[Draws, Draws]:
    """Return the random numbers for the rules of this game, and those for built-in bots."""
    return Draws(key), Draws(~key)


def _mixed(z: int) -> int:
    z &= _MASK
    z = (z ^ z >> 30) * _FIRST & _MASK
    z = (z ^ z >> 27) * _SECOND & _MASK
    return z ^ z >> 31


def _mixed_all(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the upper half of the mixed numbers."""
    z = (z ^ z >> np.uint64(30)) * np.uint64(_FIRST)
    z = (z ^ z >> np.uint64(27)) * np.uint64(_SECOND)
    z ^= z >> np.uint64(31)
    return z >> np.uint64(32)
