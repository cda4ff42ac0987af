"""What a knockout of the first of a list would come to, as far as ratings can tell.

Nothing is drawn by lot but strengths within their errors: given those, the chance of everybody to
get past every round is a sum over whom they can meet there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Floats

_DRAWS: Final = 1024
_SEED: Final = 1625  # the same ratings always foretell the same


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


def forecast(elos: Sequence[float], errors: Sequence[float]) -> Forecast:
    """How a knockout of these would go, the best first; as many as a power of two.

    Errors are standard errors, taken as independent. A duel goes to whoever finishes first, and to
    either with the same chance if both do.
    """
    size = len(elos)
    places = seeding(size)
    strengths = _strengths(elos, errors)[:, places]
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


def _strengths(elos: Sequence[float], errors: Sequence[float]) -> Floats:
    """What the true strengths may be, in rows: drawn in pairs that lie opposite each other."""
    draws = np.random.default_rng(_SEED).standard_normal((_DRAWS // 2, len(elos)))
    result: Floats = np.asarray(elos) + np.concatenate([draws, -draws]) * np.asarray(errors)
    return result
