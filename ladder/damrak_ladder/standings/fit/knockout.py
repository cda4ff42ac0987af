"""The forecast of a knockout between the first versions of a list.

Only strengths are drawn at random, from the posterior distribution (ratings/posterior.py). Given
the strengths, the probability that a seed wins a round is an exact sum over its possible opponents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Floats

DRAWS: Final = 1024
"""The number of draws of strengths that are published with a fit."""

MOST: Final = 16
"""The largest number of seeds in a bracket."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a round, and the seed that most probably reaches it."""

    seed: int  # from 0
    chance: float  # of this seed to win the round


@dataclass(frozen=True, slots=True)
class Forecast:
    """Probabilities of seeds, the best first."""

    rounds: tuple[tuple[tuple[Slot, Slot], ...], ...]  # duels, from the top of the bracket
    past: tuple[tuple[float, ...], ...]  # by seed: probability of winning each round


def forecast(draws: Floats) -> Forecast:
    """Return the forecast of a knockout between these seeds.

    `draws` are possible strengths in Elo, one column for each seed, the best first; the number of
    columns is a power of two. A duel is won by the bot that finishes first, and by either with
    equal probability if both share the place.
    """
    size = draws.shape[1]
    places = seeding(size)
    strengths = draws[:, places]
    gaps = strengths[:, :, np.newaxis] - strengths[:, np.newaxis, :]
    beats = 1 / (1 + np.exp(-gaps / ELO_PER_LOGIT))
    there = np.ones_like(strengths)
    rounds, past = [], np.empty((size, 0))
    length = 1
    while length < size:
        groups = np.arange(size) // length
        can_meet = groups[:, np.newaxis] == (groups ^ 1)[np.newaxis, :]
        came = there.mean(axis=0)
        there = there * np.einsum("dij,dj->di", beats * can_meet, there)
        chances = there.mean(axis=0)
        likely = [
            begin + int(np.argmax(came[begin : begin + length])) for begin in range(0, size, length)
        ]
        slots = [Slot(places[at], float(chances[at])) for at in likely]
        rounds.append(tuple(zip(slots[::2], slots[1::2], strict=True)))
        past = np.column_stack([past, chances])
        length *= 2
    return Forecast(tuple(rounds), tuple(tuple(past[places.index(at)]) for at in range(size)))


def seeding(size: int) -> list[int]:
    """Return the seeds from the top of a bracket.

    The first two can meet only in the final. `size` is a power of two.
    """
    places = [0]
    while len(places) < size:
        places = [one for place in places for one in (place, 2 * len(places) - 1 - place)]
    return places
