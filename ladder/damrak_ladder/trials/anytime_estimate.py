"""An anytime-valid estimate, which may be read, and acted upon, at any moment.

A usual 95 % interval is valid for a number of blocks that was fixed beforehand. Authors who check
it after each block and stop when they like the result are wrong far more often. This interval is
wider and valid for all moments together: in 95 of 100 tests it never misses the truth, however long
they run and whenever they stop. It is the confidence sequence of Robbins' normal mixture with a
running estimate of the variance (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024).

The point estimate is that of the scores alone. A test stops soonest when luck has shifted the
scores, so right after a verdict it is, on average, slightly farther from 0 than the truth.
"""

from __future__ import annotations

import math
from typing import Final

from damrak_statistics.block_scores import PRIOR_BLOCKS, BlockScores, Estimate, elo_of

MISSES: Final = 0.05
_SHARPEST: Final = 60  # the number of blocks at which the interval is optimised to be narrow
_EDGE: Final = 1e-4  # no Elo difference is infinite
_PRIOR: Final = 4 * PRIOR_BLOCKS  # more than elsewhere, because the first moments count as well


def anytime_estimate(blocks: BlockScores) -> Estimate:
    """Return the Elo difference that these scores imply, with an interval valid at every moment.

    Raises:
        ValueError: there are no blocks.
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
    """Return half the width of the interval after `count` blocks, for scores with variance 1."""
    log = -2 * math.log(MISSES)
    rho = (log + math.log(log + 1)) / _SHARPEST  # squared
    grown = count * rho + 1
    return math.sqrt(2 * grown / (count * count * rho) * math.log(math.sqrt(grown) / MISSES))


def _elo(score: float) -> float:
    return elo_of(min(1 - _EDGE, max(_EDGE, score)))
