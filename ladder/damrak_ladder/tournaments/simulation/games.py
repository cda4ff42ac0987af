"""Results of many pairings at once: one row for each run of a tournament.

Games are independent. Two bots with strengths in Elo win by the logistic curve, tables follow the
Plackett-Luce model, which gives the same odds between any two entrants.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from damrak_ladder.ratings.scale import ELO_PER_LOGIT

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_FEW_GAMES: Final = 24
"""Up to this number of games, drawing each game is faster than drawing how often an order comes."""

SUDDEN_DEATH_BLOCKS: Final = 5


def duel_wins(
    one: Floats, other: Floats, games: int | Integers, random: np.random.Generator
) -> Integers:
    """Returns how many of these games the first of two strengths wins."""
    wins: Integers = random.binomial(games, _odds(one, other))
    return wins


def duel_wins_nearly(
    one: Floats, other: Floats, games: int | Integers, random: np.random.Generator
) -> Floats:
    """Returns draws with the mean and the variance of `duel_wins`, which are not whole numbers."""
    odds = _odds(one, other)
    noise = random.standard_normal(odds.shape, dtype=np.float32)
    wins: Floats = games * odds + np.sqrt(games * odds * (1 - odds)) * noise
    return wins


def sudden_death(
    one: Floats, other: Floats, random: np.random.Generator
) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Returns whether the first wins a tied pairing, and the expected number of further blocks.

    Blocks of two games are played until one entrant wins both. After the last block the first
    wins, which is to be the higher seed.
    """
    odds = _odds(one, other)
    wins, losses = odds**2, (1 - odds) ** 2
    tied = 1 - wins - losses
    drawn = tied**SUDDEN_DEATH_BLOCKS
    chance = drawn + (1 - drawn) * wins / (wins + losses)
    return random.random(chance.shape) < chance, (1 - drawn) / (1 - tied)


def table_points(strengths: Floats, games: int, random: np.random.Generator) -> Integers:
    """Returns opponents beaten in all games, for tables in the rows of the last axis."""
    size = strengths.shape[-1]
    if games <= _FEW_GAMES:
        shape = (*strengths.shape[:-1], games, size)
        keys = strengths[..., None, :] / ELO_PER_LOGIT + random.gumbel(size=shape)
        places = np.argsort(np.argsort(keys, axis=-1), axis=-1)
        found: Integers = places.sum(axis=-2)
        return found
    orders = np.array(list(permutations(range(size))))
    counts = random.multinomial(games, _order_chances(strengths, orders))
    beaten = size - 1 - np.argsort(orders, axis=1)
    total: Integers = counts @ beaten
    return total


def _order_chances(strengths: Floats, orders: npt.NDArray[np.int64]) -> Floats:
    """Returns the probability of each order of a table."""
    weights = np.exp((strengths - strengths.max(axis=-1, keepdims=True)) / ELO_PER_LOGIT)
    ordered = weights[..., orders]
    left = np.cumsum(ordered[..., ::-1], axis=-1)[..., ::-1]
    chances: Floats = np.prod(ordered / left, axis=-1)
    chances /= chances.sum(axis=-1, keepdims=True)
    return chances


def _odds(one: Floats, other: Floats) -> Floats:
    odds: Floats = 1 / (1 + np.exp((other - one) / ELO_PER_LOGIT))
    return odds


def ranking(
    points: npt.NDArray[np.number], strengths: Floats, random: np.random.Generator
) -> Integers:
    """Returns the columns by points, best first; sudden death separates ties.

    Two tied entrants win it as often as in blocks of two games that last until one wins both.
    """
    keys = 2 * strengths / ELO_PER_LOGIT + random.gumbel(size=strengths.shape)
    return np.lexsort((keys, points), axis=1)[:, ::-1].astype(np.int64)
