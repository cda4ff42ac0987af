"""The outcome of simulated stages."""

from __future__ import annotations

from dataclasses import dataclass

from damrak_ladder.tournaments.simulation.games import Integers


@dataclass(frozen=True, slots=True)
class Runs:
    """One row for each run: the columns of the field, best first, and the effort.

    `sudden_death` is the mean number of further blocks that decide ties in a bracket.
    """

    ranking: Integers
    blocks: Integers
    games: Integers
    sudden_death: float = 0.0
