"""Match outcomes, derived from the strengths of the players."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.population.field import Field, Real, Whole
from damrak_ladder.population.season import Season

FAULTS: Final = ("timeout", "crash", "illegal")
_ELO_PER_LOGIT: Final = 400 / np.log(10)


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Outcomes of blocks of one size.

    Three-dimensional arrays are indexed by block, match and player.
    """

    blocks: Whole  # indexes into the season
    players: Whole  # by block: versions, in the seat order of the first match
    turns: Whole
    places: Whole
    points: Whole
    faults: Whole  # 0, or the index in `FAULTS` plus one

    @property
    def seats(self) -> int:
        """Return the number of seats of a match, which is also the number of matches of a block."""
        return int(self.players.shape[1])

    @property
    def chairs(self) -> Whole:
        """Return the seat of each player in each match of a block."""
        number = np.arange(self.seats)
        return (number[None, :] - number[:, None]) % self.seats


def failing(chance: np.random.Generator, field: Field) -> Real:
    """Return how often each version fails in a match: most never, a few often."""
    share: Real = chance.beta(0.08, 6.0, len(field.version_bot))
    return share


def play(
    chance: np.random.Generator, season: Season, elo: Real, fails: Real, start: int, stop: int
) -> Iterator[Outcomes]:
    """Yield the outcomes of blocks `start` to `stop` of the season, grouped by size."""
    for seats in (2, 3, 4):
        blocks = start + np.flatnonzero(season.seats[start:stop] == seats)
        players = season.players[blocks, :seats]
        shape = (len(blocks), seats, seats)
        luck = chance.gumbel(0, 1, shape)
        form = (elo[players][:, None, :] - 1100.0) / _ELO_PER_LOGIT + luck
        failed = chance.random(shape) < fails[players][:, None, :]
        points = np.maximum(np.rint(52 + 11 * form), -20).astype(np.int64)
        points = np.where(failed, -30, points)
        better = points[:, :, None, :] > points[:, :, :, None]
        first = chance.integers(0, seats, len(blocks))  # a block has one seed, so one first player
        number = np.arange(seats)
        chairs = (number[None, :] - number[:, None]) % seats
        yield Outcomes(
            blocks=blocks,
            players=players,
            turns=(chairs[None, :, :] - first[:, None, None]) % seats,
            places=1 + better.sum(axis=3),
            points=points,
            faults=np.where(failed, 1 + chance.integers(0, len(FAULTS), shape), 0),
        )
