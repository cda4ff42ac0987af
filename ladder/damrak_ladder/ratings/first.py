"""The probability that a version is the strongest."""

from __future__ import annotations

from typing import Final

import numpy as np

from damrak_ladder.ratings.posterior import Posterior
from damrak_ladder.ratings.scale import Floats, Integers

CONTENDERS: Final = 64
_DRAWS: Final = 1 << 14


def first_probability(field: Posterior, among: Integers) -> Floats:
    """Return the probability of each of these versions to be the strongest of them.

    It is the share of draws from the posterior in which the version is ahead. Only the `CONTENDERS`
    with the highest upper ends of their intervals are included: the others get 0.
    """
    ratings = field.ratings
    result = np.zeros(len(among))
    if not len(among):
        return result
    reach = ratings.elo[among] + 2 * (ratings.high - ratings.elo)[among]
    floor = np.max(ratings.elo[among] - 2 * (ratings.high - ratings.elo)[among])
    order = np.lexsort((among, -reach))[:CONTENDERS]
    order = order[reach[order] >= floor]
    draws = field.draw(among[order].astype(np.int32), _DRAWS)
    wins = np.bincount(np.argmax(draws, axis=1), minlength=len(order))
    result[order] = wins / _DRAWS
    return result
