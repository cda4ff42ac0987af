"""Rollouts: a position is played to its end many times by the reference policy.

The k-th try of every position of a match uses the same random numbers, so that positions are
compared with the same luck. The results depend only on the seed and the position.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from damrak_engine.dice import QuickDice
from damrak_engine.position import OVER
from damrak_engine.scoring import Result, result
from damrak_engine.state import State
from damrak_ladder.analyses.board_index import ground_of
from damrak_ladder.analyses.policy import Policy

Z95: Final = 1.959963984540054

WHIMS: Final = 0.1
"""The probability that a seat plays a random legal action. The deterministic policy alone would
make games of other players seem decided too soon; docs/analysis.md has the figures."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the bounds of its 95 % confidence interval."""

    value: float
    low: float
    high: float

    def rounded(self, digits: int) -> list[float]:
        """Return value, low and high as they are stored."""
        return [round(number, digits) + 0.0 for number in (self.value, self.low, self.high)]


@dataclass(frozen=True, slots=True)
class Worth:
    """The value of a final position for each seat."""

    shares: tuple[float, ...]  # shares of the victory
    leads: tuple[float, ...]  # points above the mean of the others


def worth_of(came: Result) -> Worth:
    """Return the value of this result for each seat."""
    winners = came.winners
    totals = [seat.total for seat in came.seats]
    others = len(totals) - 1
    whole = sum(totals)
    return Worth(
        tuple([1 / len(winners) if seat in winners else 0.0 for seat in range(len(totals))]),
        tuple([own - (whole - own) / others for own in totals]),
    )


def chance_of(seed: str, number: int) -> random.Random:
    """Return the random numbers of one try."""
    return random.Random(f"{seed}/{number}")  # noqa: S311


def play_on(state: State, chance: random.Random, whims: float = WHIMS) -> Worth:
    """Play a position to its end, which modifies it, and return the result."""
    dice = QuickDice(chance.random)
    policy = Policy(ground_of(state.rules))
    while state.phase != OVER:
        is_whim = whims > 0 and chance.random() < whims
        state.apply(state.random_action(chance.random) if is_whim else policy.choose(state), dice)
    return worth_of(result(state, dice))


def wilson(share: float, tries: int) -> Estimate:
    """Return a share observed in this many tries, with the Wilson score interval."""
    if not tries:
        return Estimate(share, share, share)
    square = Z95 * Z95
    middle = (share + square / (2 * tries)) / (1 + square / tries)
    spread = share * (1 - share) / tries + square / (4 * tries * tries)
    reach = Z95 / (1 + square / tries) * math.sqrt(spread)
    low = max(0.0, middle - reach) if share > 0 else 0.0
    high = min(1.0, middle + reach) if share < 1 else 1.0
    return Estimate(share, low, high)


def mean(numbers: Sequence[float]) -> Estimate:
    """Return the mean of two or more independent numbers, with its interval."""
    value, error = mean_and_error(numbers)
    return Estimate(value, value - Z95 * error, value + Z95 * error)


def mean_and_error(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the mean of independent numbers and its standard error."""
    count = len(numbers)
    value = sum(numbers) / count
    squares = sum([(number - value) ** 2 for number in numbers])
    return value, math.sqrt(squares / (count - 1) / count)
