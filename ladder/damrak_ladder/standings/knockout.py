"""The forecast of a knockout of the first of a list.

Only strengths are drawn at random, from the posterior distribution (ratings/posterior.py). Given
these, the probability that a seed gets past a round is an exact sum over its possible opponents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Floats

DRAWS: Final = 1024
"""So many draws of strengths are published with a fit."""

MOST: Final = 16
"""A bracket has at most so many seeds."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a round, and who of those that can come there most probably does."""

    seed: int  # from 0
    chance: float  # of this one to get past the round


@dataclass(frozen=True, slots=True)
class Forecast:
    """Chances of seeds, the best first."""

    rounds: tuple[tuple[tuple[Slot, Slot], ...], ...]  # duels, from the top of the bracket
    past: tuple[tuple[float, ...], ...]  # of each seed, round by round


def forecast(draws: Floats) -> Forecast:
    """Returns how a knockout of these would go.

    `draws` are possible strengths in Elo, one column for each seed, the best first; the number of
    columns is a power of two. A duel goes to the bot that finishes first, and to either with the
    same probability if both do.
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
    """Seeds from the top of a bracket of a power of two: the first two meet in the final only."""
    places = [0]
    while len(places) < size:
        places = [one for place in places for one in (place, 2 * len(places) - 1 - place)]
    return places
