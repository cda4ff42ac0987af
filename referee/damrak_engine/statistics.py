"""What the scores of blocks say about strength: Elo with an interval, and a sequential test.

The games of a block share their seed, so only whole blocks are independent of one another. All
that is computed here therefore starts from one number a block, its score: the share of 1 that a
bot took from its opponents, pair by pair and game by game (`comparisons`), averaged over the block.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# How often each block score occurred: all that matters of a series.
BlockScores = Mapping[float, int]

# Half a block is added to those played, half of it won and half lost. Without it a bot that won
# everything would be infinitely strong, for certain; and simulation shows that the intervals of
# few or one-sided blocks then keep what they promise (tests/engine/test_statistics.py).
PRIOR_BLOCKS: Final = 0.5

# A score that no block had yet is not impossible: the sequential test counts it this often.
UNSEEN: Final = 1e-3
LATTICE: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
FARTHEST: Final = 1000  # Elo; a score that close to 1 is 1 to a computer sooner or later

_ELO_PER_LOGIT: Final = 400 / math.log(10)
_NORMAL_975: Final = 1.959963984540054


def comparisons(places: Sequence[int]) -> list[int]:
    """For each seat its half points against the others: 2 for each one beaten, 1 for each tie."""
    return [2 * sum(own < other for other in places) + places.count(own) - 1 for own in places]


def elo_of(score: float) -> float:
    """The Elo difference at which this score, above 0 and below 1, is what one expects."""
    return _ELO_PER_LOGIT * math.log(score / (1 - score))


def score_of(elo: float) -> float:
    """The score that an Elo difference lets one expect; the inverse of `elo_of`."""
    return 1 / (1 + math.exp(-elo / _ELO_PER_LOGIT))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


def elo_estimate(blocks: BlockScores) -> Estimate:
    """The Elo difference to the opponents that the scores of these blocks speak for.

    The interval is Wilson's for a share, which is symmetrical around the estimate on the Elo scale.
    It takes the spread of the block scores in place of that of single games, and Student's
    quantile, because that spread is itself only estimated. It is always finite. Laws: scores
    mirrored (x to 1 - x) give the estimate mirrored at 0; more blocks of the same kind never make
    it wider.

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
    """The 97.5 % quantile of Student's t distribution, to three digits or better."""
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
    """A test that may be looked at after every block: is the difference elo0, or rather elo1?

    The generalised sequential probability ratio test: how much likelier are the observed block
    scores under the likeliest distribution with mean elo1 than under the likeliest with mean elo0?
    Nothing is assumed of that distribution, so mirrored blocks count for what they are worth.

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
        """At or below this log-likelihood ratio elo0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At or above this log-likelihood ratio elo1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, blocks: BlockScores) -> float:
        """The log-likelihood ratio of elo1 to elo0 after these blocks."""
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
        """`H1` (elo1 accepted), `H0` (elo0 accepted), or None: play on."""
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None


def _tilt(weights: Mapping[float, float], mean: float) -> float:
    """The t for which the weights w / (1 + t (score - mean)) have this mean.

    They are the likeliest distribution with that mean (Lagrange). Their distance from it falls as
    t grows, so halving finds it between the two poles.
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
