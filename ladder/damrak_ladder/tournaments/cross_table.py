"""The cross-table of a stage: the score of each entrant against each other, with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Final

from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.documents import Names
from damrak_ladder.tournaments.log.state import Stage

MOST: Final = 40
"""The number of entrants, from the top, that a cross-table shows."""

_Z95: Final = 1.959964


@dataclass(slots=True)
class _Sum:
    share: float = 0.0
    games: int = 0
    rounds: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cell:
    """The score of the entrant of the row against the one of the column, with its interval."""

    share: float
    low: float
    high: float
    games: int
    rounds: Sequence[int]


@dataclass(frozen=True, slots=True)
class Line:
    """An entrant with its cells, in the order of the columns; None where they have not met."""

    entrant: dict[str, Any]
    place: int | None
    points: str
    cells: Sequence[Cell | None]


@dataclass(frozen=True, slots=True)
class CrossTable:
    """The cross-table of the best entrants."""

    lines: Sequence[Line]
    entrants: int  # in the whole stage


def cross_table_of(seen: Disclosed, stage: Stage, names: Names) -> CrossTable:
    """Return the cross-table of a stage after its complete rounds that the viewer may know."""
    rows = seen.table(stage)
    sums: dict[tuple[int, int], _Sum] = defaultdict(_Sum)
    for number, results in enumerate(seen.course.played(stage), 1):
        for result in (one for one in results if one.is_meeting):
            entrants, games = result.pairing.entrants, max(1, result.games)
            for at, one in enumerate(entrants):
                for other, opponent in enumerate(entrants):
                    if at != other:
                        met = sums[one, opponent]
                        met.share += games * float(result.share(at, other))
                        met.games += games
                        met.rounds.append(number)
    shown = [row.number for row in rows[:MOST]]
    lines = [
        Line(
            names.short(row.number),
            row.place,
            str(row.points),
            [_cell(sums.get((row.number, other))) for other in shown],
        )
        for row in rows[:MOST]
    ]
    return CrossTable(lines, len(rows))


def _cell(met: _Sum | None) -> Cell | None:
    if met is None:
        return None
    share = met.share / met.games
    low, high = wilson(share, met.games)
    return Cell(share, low, high, met.games, met.rounds)


def wilson(share: float, games: int) -> tuple[float, float]:
    """Return the Wilson score interval of a share that was observed in this many games."""
    square = _Z95 * _Z95
    middle = (share + square / (2 * games)) / (1 + square / games)
    variance = share * (1 - share) / games + square / (4 * games * games)
    reach = _Z95 / (1 + square / games) * sqrt(variance)
    return max(0.0, middle - reach), min(1.0, middle + reach)
