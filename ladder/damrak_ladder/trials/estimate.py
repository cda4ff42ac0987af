"""An estimate that may be looked at, and acted upon, at any moment.

A usual 95 % interval is right for a number of blocks fixed beforehand. Whoever looks after each
block and stops when he likes what he sees is wrong far more often. The interval here is wider and
holds for all moments together: in 95 of 100 tests it never misses the truth, however long they go
on and whenever they stop. It is the confidence sequence of Robbins' normal mixture with the spread
estimated on the way (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024).

The value in the middle is that of the scores alone. A test stops soonest when luck has carried the
scores away, so right after a verdict it lies, on average, a little further from 0 than the truth.
"""

from __future__ import annotations

import math
from typing import Final

from damrak_engine.statistics import PRIOR_BLOCKS, BlockScores, Estimate, elo_of

MISSES: Final = 0.05
_SHARPEST: Final = 60  # the number of blocks for which the interval is as narrow as it can be
_EDGE: Final = 1e-4  # no Elo difference is infinite
_PRIOR: Final = 4 * PRIOR_BLOCKS  # more than elsewhere, because the first looks count as well


def anytime_estimate(blocks: BlockScores) -> Estimate:
    """The Elo difference these scores speak for, with an interval that holds at every moment.

    Raises:
        ValueError: there is no block.
    """
    played = sum(blocks.values())
    if not played:
        raise ValueError("no block, no estimate")
    total = played + _PRIOR
    mean = (sum(score * times for score, times in blocks.items()) + _PRIOR / 2) / total
    squares = sum(times * (score - mean) ** 2 for score, times in blocks.items())
    squares += _PRIOR / 2 * (mean**2 + (1 - mean) ** 2)
    reach = math.sqrt(squares / total) * _width(total)
    return Estimate(elo_of(mean), _elo(mean - reach), _elo(mean + reach))


def _width(count: float) -> float:
    """Half the width of the interval after so many blocks, for scores of spread 1."""
    log = -2 * math.log(MISSES)
    rho = (log + math.log(log + 1)) / _SHARPEST  # squared
    grown = count * rho + 1
    return math.sqrt(2 * grown / (count * count * rho) * math.log(math.sqrt(grown) / MISSES))


def _elo(score: float) -> float:
    return elo_of(min(1 - _EDGE, max(_EDGE, score)))
