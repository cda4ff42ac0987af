"""Dice: sources of chance that pick one of `n` equally likely outcomes on a named stream.

A state does not contain the order of undrawn cards, so every draw uses the dice. `SeedDice` is the
official one, specified to the byte in docs/replay.md; `QuickDice` is for simulation, where draws
need not be verifiable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

FIRST: Final = 0
ROW: Final = 1
HAND: Final = 2  # + seat; likewise the next two
BLIND: Final = 6
CONTRACT: Final = 10
RETURNED: Final = 14  # only under the option returned_order = shuffled
TIE: Final = 15  # only under the option final_tie = seed draw

STREAMS: Final = (
    "first",
    "row",
    *(f"{name}/{seat}" for name in ("hand", "blind", "contract") for seat in range(4)),
    "returned",
    "tie",
)
SEED_BYTES: Final = 32


def bot_seed(seed: bytes, seat: int) -> bytes:
    """Return the seed of a bot's random numbers; the match seed itself would reveal the dice."""
    return hashlib.sha256(b"damrak-bot" + seed + bytes([seat])).digest()


class Dice:
    """Base class of the sources of chance that the rules use.

    The compiled engine accepts no further subclasses; `CallDice` wraps any function.
    """

    def pick(self, stream: int, n: int) -> int:
        """Return an index below `n`, each equally likely."""
        raise NotImplementedError


class SeedDice(Dice):
    """Dice of replays: the k-th pick on a stream is a function of `k`, `n` and the seed alone."""

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        self.seed = seed
        self._calls = [0] * len(STREAMS)
        self._starts = [
            hashlib.sha256(b"damrak-dice/1" + seed + name.encode() + b"/") for name in STREAMS
        ]

    def pick(self, stream: int, n: int) -> int:
        """Return the next index below `n` on this stream."""
        call = self._calls[stream]
        self._calls[stream] = call + 1
        digest = self._starts[stream].copy()
        digest.update(call.to_bytes(8, "big"))
        drawn = digest.digest()
        # The eight bytes times n, shifted by 64, in operands below 2**30: Python checks for Ctrl-C
        # while it multiplies larger numbers, and compiled code mistakes the exception for a lack
        # of memory.
        carry = int.from_bytes(drawn[5:8], "big") * n >> 24
        carry = int.from_bytes(drawn[2:5], "big") * n + carry >> 24
        return int.from_bytes(drawn[:2], "big") * n + carry >> 16


class QuickDice(Dice):
    """Dice from a function that returns numbers in [0, 1), such as `random.Random(7).random`."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random

    def pick(self, stream: int, n: int) -> int:
        """Return an index below `n`; all streams share one source."""
        return int(self._random() * n)


class CallDice(Dice):
    """Dice from a function of (stream, n), for scripted draws in tests and exhaustive counts."""

    def __init__(self, choose: Callable[[int, int], int]) -> None:
        self._choose = choose

    def pick(self, stream: int, n: int) -> int:
        """Return the index from the function; ValueError if it is not below `n`."""
        index = self._choose(stream, n)
        if not 0 <= index < n:
            raise ValueError(f"pick {index} on stream {STREAMS[stream]} is not below {n}")
        return index


def commitment(seed: bytes) -> str:
    """Return the hash to publish before a match, so that its seed cannot be changed later."""
    return hashlib.sha256(seed).hexdigest()
