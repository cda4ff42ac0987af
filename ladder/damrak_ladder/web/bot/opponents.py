"""Results of versions against each other, with names for the pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.counts.encounters import Encounter, matrix, opponents
from damrak_ladder.web.site.players import Player, players

MOST: Final = 15
TOP: Final = 12


@dataclass(frozen=True, slots=True)
class Opponent:
    """A version's score against an opponent, and whether it is unusually low or high."""

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
    """The top of a ladder against one another, and the cycles among them."""

    rows: Sequence[MatrixRow]
    cycles: Sequence[tuple[Player, ...]]
    most: int = TOP  # maximum number of rows


def opponents_of(ladder: Ladder, version: int) -> list[Opponent]:
    """Return the most frequent opponents, preceded by those with unexpected results."""
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
    """Return the matrix of the top `TOP` versions."""
    found = matrix(ladder, TOP)
    versions = players(found.versions)
    rows = [
        MatrixRow(versions[row], [found.encounters.get((row, column)) for column in found.versions])
        for row in found.versions
    ]
    return MatrixShown(rows, [tuple(versions[one] for one in cycle) for cycle in found.cycles])
