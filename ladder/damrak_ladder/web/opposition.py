"""Who does how well against whom, with names, as pages show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.encounters import Encounter, matrix, opponents
from damrak_ladder.web.players import Player, players

MOST: Final = 15
TOP: Final = 12


@dataclass(frozen=True, slots=True)
class Opponent:
    """What a version scored against another, and whether that is more or less than it should."""

    version: Player
    encounter: Encounter
    is_nemesis: bool
    is_prey: bool


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A version of the matrix, and its cells in the order of the columns; None: they never met."""

    version: Player
    cells: Sequence[Encounter | None]


@dataclass(frozen=True, slots=True)
class MatrixShown:
    """The first of a ladder against one another, and where they go in circles."""

    rows: Sequence[MatrixRow]
    cycles: Sequence[tuple[Player, ...]]
    most: int = TOP  # so many rows at most


def opponents_of(ladder: Ladder, version: int) -> list[Opponent]:
    """Its most frequent opponents, and before them those that it does strangely against."""
    found = opponents(ladder, version, MOST)
    nemeses = {one.opponent_id for one in found.nemeses}
    prey = {one.opponent_id for one in found.prey}
    odd = [*found.nemeses, *found.prey]
    usual = [one for one in found.encounters if one.opponent_id not in nemeses | prey]
    shown = [*odd, *usual][:MOST]
    versions = players(one.opponent_id for one in shown)
    return [
        Opponent(
            versions[one.opponent_id], one, one.opponent_id in nemeses, one.opponent_id in prey
        )
        for one in shown
    ]


def matrix_of(ladder: Ladder) -> MatrixShown:
    """The matrix of the first `TOP`."""
    found = matrix(ladder, TOP)
    versions = players(found.versions)
    rows = [
        MatrixRow(versions[row], [found.encounters.get((row, column)) for column in found.versions])
        for row in found.versions
    ]
    return MatrixShown(rows, [tuple(versions[one] for one in cycle) for cycle in found.cycles])
