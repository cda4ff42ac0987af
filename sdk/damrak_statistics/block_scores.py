"""Statistics of block scores: Elo difference with an interval, and a sequential test.

The games of a block share their seed, so only whole blocks are independent of one another.
Everything here is therefore computed from one number per block, its score from 0 to 1: the share
that a bot won against its opponents, pair by pair and game by game (`comparisons`), averaged over
the block.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# How often each block score occurred; nothing else about a series matters.
BlockScores = Mapping[float, int]

# Prior: half a block, half of it won and half lost, is added to those played. Without it a bot that
# won everything would have infinite strength with certainty; with it, simulation shows that the
# intervals of few or one-sided blocks keep their coverage
# (tests/sdk/statistics/test_block_scores.py).
PRIOR_BLOCKS: Final = 0.5

# A score that no block had yet is still possible: the sequential test counts it this often.
UNSEEN: Final = 1e-3
LATTICE: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
FARTHEST: Final = 1000  # Elo; far beyond it, scores are rounded to 1 in floating point

_ELO_PER_LOGIT: Final = 400 / math.log(10)
_NORMAL_975: Final = 1.959963984540054


def comparisons(places: Sequence[int]) -> list[int]:
    """Return the half points of each seat: 2 for each opponent beaten, 1 for each tie."""
    return [2 * sum(own < other for other in places) + places.count(own) - 1 for own in places]


def elo_of(score: float) -> float:
    """Return the Elo difference with this expected score, which is above 0 and below 1."""
    return _ELO_PER_LOGIT * math.log(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the expected score at an Elo difference; the inverse of `elo_of`."""
    return 1 / (1 + math.exp(-elo / _ELO_PER_LOGIT))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


def elo_estimate(blocks: BlockScores) -> Estimate:
    """Return the Elo difference to the opponents, estimated from the scores of these blocks.

    The interval is Wilson's for a proportion, which is symmetrical around the estimate on the Elo
    scale. It uses the spread of block scores instead of that of single games, and Student's
    quantile, because that spread is itself estimated. It is always finite. Invariants: mirrored
    scores (x to 1 - x) mirror the estimate at 0; more blocks of the same kind never widen it.

    Raises:
        ValueError: there is no block.
    """
    played = sum(blocks.values())
    if not played:
        raise ValueError("no block, no estimate")
    total = played + PRIOR_BLOCKS
    half = PRIOR_BLOCKS / 2
    mean = (sum(score * times for score, times in blocks.items()) + half) / total
    squares = sum(times * (score - mean) ** 2 for score, times in blocks.items())
    squares += half * (mean**2 + (1 - mean) ** 2)
    widest = mean * (1 - mean)  # when every block is won or lost as a whole
    error = math.sqrt(min(squares / (total - 1), widest) / total)
    reach = 2 * math.asinh(_student_975(max(1, played - 1)) * error / widest / 2) * _ELO_PER_LOGIT
    value = elo_of(mean)
    return Estimate(value, value - reach, value + reach)


def _student_975(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution, to three digits or better."""
    if freedom == 1:
        return math.tan(math.pi * 0.475)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z = _NORMAL_975  # the expansion of Cornish and Fisher around the normal quantile
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** (i + 1) for i, term in enumerate(terms))


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of Elo difference elo0 against elo1, valid after every block.

    It is the generalised sequential probability ratio test, which compares the likelihood of the
    observed block scores under the likeliest distribution with mean elo1 and under the likeliest
    with mean elo0. It assumes nothing about that distribution, so mirrored blocks have the right
    weight.

    Raises:
        ValueError: elo1 is not above elo0, one of them is beyond `FARTHEST`, or an error
            rate is not between 0 and one half.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo1 must be above elo0, not {self.elo0:g} {self.elo1:g}")
        for elo in (self.elo0, self.elo1):
            if not -FARTHEST <= elo <= FARTHEST:
                raise ValueError(f"differences must lie within {FARTHEST} Elo, not {elo:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"{name} must lie between 0 and 0.5, not {rate:g}")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at or below which elo0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at or above which elo1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, blocks: BlockScores) -> float:
        """Return the log-likelihood ratio of elo1 to elo0 after these blocks."""
        if not blocks:
            return 0.0
        weights: dict[float, float] = dict.fromkeys(LATTICE, UNSEEN) | dict(blocks)
        mean0, mean1 = score_of(self.elo0), score_of(self.elo1)
        tilt0, tilt1 = _tilt(weights, mean0), _tilt(weights, mean1)
        return sum(
            times * math.log((1 + tilt0 * (score - mean0)) / (1 + tilt1 * (score - mean1)))
            for score, times in weights.items()
        )

    def verdict(self, llr: float) -> str | None:
        """Return `H1` (elo1 accepted), `H0` (elo0 accepted), or None (continue)."""
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None


def _tilt(weights: Mapping[float, float], mean: float) -> float:
    """Return the t for which the weights w / (1 + t (score - mean)) have this mean.

    They are the likeliest distribution with that mean (Lagrange). Their difference from it
    falls as t grows, so bisection finds t between the two poles.
    """
    low, high = -1 / (max(weights) - mean), -1 / (min(weights) - mean)
    deviations = [(score - mean, weight) for score, weight in weights.items()]
    while True:
        tilt = (low + high) / 2
        if not low < tilt < high or high - low < 1e-12:
            return tilt
        if sum(weight * off / (1 + tilt * off) for off, weight in deviations) > 0:
            low = tilt
        else:
            high = tilt
