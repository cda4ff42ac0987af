"""Tie bands: groups of versions that are not significantly different.

Two versions count as separated if their difference is greater than Tukey's honest significant
difference for all pairs of the list (in Kramer's form for unequal errors, which is conservative).
This is a simultaneous statement: with 95 % probability, no pair of the whole list is separated
wrongly. Testing each pair at 5 % would not be sufficient: among fifty copies of one bot, the
luckiest and the unluckiest would nearly always be "separated", because they were selected as the
extremes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import ndtr

from damrak_ladder.ratings.posterior import Posterior
from damrak_ladder.ratings.scale import Booleans, Floats, Integers

_ROWS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """The list of versions from best to worst, with ties."""

    order: Integers  # version numbers, by Elo
    band: Integers  # of each version in `order`, from 1
    best: Integers  # the best rank that each version may have
    worst: Integers  # the worst rank that each version may have


def bands(field: Posterior, among: Integers) -> Bands:
    """Return the tie bands and possible ranks of these versions.

    A band starts with the best version that is not yet in a band, and includes all versions below
    it up to the first one that is separated from it. So no version is separated from the first of
    its band, and the first versions of any two bands are separated. Neighbours on both sides of a
    border may be inseparable. The range of ranks describes each version alone: it reaches from one
    more than the number of versions above that are separated from it to the number of versions that
    are not separated below it.
    """
    elo = field.ratings.elo
    order = among[np.lexsort((among, -elo[among]))].astype(np.int32)
    count = len(order)
    band = np.zeros(count, dtype=np.int32)
    best, worst = np.ones(count, dtype=np.int32), np.full(count, count, dtype=np.int32)
    leader, number = -1, 0
    for start in range(0, count, _ROWS):
        rows = np.arange(start, min(start + _ROWS, count))
        apart = _separated(field, order[rows], order)
        above = np.arange(count) < rows[:, None]
        best[rows] += np.sum(apart & above, axis=1, dtype=np.int32)
        worst[rows] -= np.sum(apart & ~above, axis=1, dtype=np.int32)
        for row in rows:
            if leader < 0 or apart[row - start, leader]:
                leader, number = int(row), number + 1
            band[row] = number
    return Bands(order, band, best, worst)


def _separated(field: Posterior, rows: Integers, columns: Integers) -> Booleans:
    """Return which versions of `rows` are separated from which versions of `columns`.

    The difference of two strengths has the prior variance 2 spread². Shrinking an estimated
    difference accordingly reduces its ratio to its standard deviation by the root of 1 + variance /
    (2 spread²).
    """
    expansion = field.ratings.expansion
    variances = expansion.variances
    variance = variances[rows][:, None] + variances[columns]
    variance = np.maximum(variance - 2 * expansion.between(rows, columns), 0.0)
    variance *= 1 + variance / (2 * field.spread**2)
    needed: Floats = honest_difference(len(columns)) * np.sqrt(variance)
    apart = np.abs(expansion.elo[rows][:, None] - expansion.elo[columns]) > needed
    return np.asarray(apart & (rows[:, None] != columns))


@cache
def honest_difference(count: int) -> float:
    """Return the difference, in standard errors, from which two of `count` versions are separated.

    It is the 95 % quantile of the range of `count` normal numbers, divided by the root of 2.
    """
    if count < 2:
        return 0.0
    grid = np.linspace(-9, 9, 3601)
    density = np.exp(-grid * grid / 2) / np.sqrt(2 * np.pi) * (grid[1] - grid[0])
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        inside = (ndtr(grid) - ndtr(grid - middle)) ** (count - 1)
        if count * float(np.sum(density * inside)) < 0.95:
            low = middle
        else:
            high = middle
    return high / float(np.sqrt(2))
