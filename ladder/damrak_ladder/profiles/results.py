"""Results of versions by number of players, by turn and by board, in a few rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import BlockState, Ladder, Purpose
from damrak_ladder.standings.models import Tally
from damrak_ladder.tournaments.visibility import visible_seats

SAMPLE: Final = 200
"""The number of latest games that results by board are computed from."""

MOST_BOARDS: Final = 12


class Tallied(Protocol):
    """A row of the tallies: the results of a version at one turn of tables of one size."""

    @property
    def seats(self) -> int: ...
    @property
    def games(self) -> int: ...
    @property
    def halves(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def points(self) -> int: ...
    @property
    def faults(self) -> int: ...


@dataclass(slots=True)
class Result:
    """Results of some games of a version, with the maximum that it could have scored."""

    seats: int = 0
    turn: int | None = None  # None: all turns
    games: int = 0
    halves: int = 0  # 2 for each rival beaten, 1 for each tie
    most: int = 0  # maximum of `halves`
    first: int = 0
    points: int = 0
    faults: int = 0

    @property
    def score(self) -> float | None:
        """Return the share of rivals that it beat; a tie counts half."""
        return self.halves / self.most if self.most else None

    @property
    def firsts(self) -> float | None:
        """Return the share of games in which it came first, alone or shared."""
        return self.first / self.games if self.games else None

    @property
    def average(self) -> float | None:
        """Return the average points per game."""
        return self.points / self.games if self.games else None

    def take(self, row: Tallied) -> None:
        """Add the games of this row."""
        self.games += row.games
        self.halves += row.halves
        self.most += 2 * (row.seats - 1) * row.games
        self.first += row.first
        self.points += row.points
        self.faults += row.faults


@dataclass(frozen=True, slots=True)
class Results:
    """All games of a version on a ladder, and those of each number of players, turn by turn."""

    whole: Result
    sizes: Sequence[Result]
    turns: Sequence[Result]


def results_of(ladder: Ladder, versions: Sequence[int]) -> dict[int, Results]:
    """Return the results of each of these versions, from the tallies of the ladder."""
    columns = ("version_id", "seats", "turn", "games", "halves", "first", "points", "faults")
    rows = Tally.objects.filter(ladder=ladder, version__in=versions, games__gt=0)
    wholes = {version: Result() for version in versions}
    sizes: dict[tuple[int, int], Result] = {}
    turns: dict[tuple[int, int, int], Result] = {}
    for row in rows.order_by("seats", "turn").values_list(*columns, named=True):
        size = sizes.setdefault((row.version_id, row.seats), Result(row.seats))
        key = (row.version_id, row.seats, row.turn)
        turn = turns.setdefault(key, Result(row.seats, row.turn))
        for result in (wholes[row.version_id], size, turn):
            result.take(row)
    return {
        version: Results(
            wholes[version],
            [one for key, one in sizes.items() if key[0] == version],
            [one for key, one in turns.items() if key[0] == version],
        )
        for version in versions
    }


@dataclass(slots=True)
class BoardResult:
    """The latest games of a version on one board."""

    board: str
    games: int = 0
    first: int = 0
    points: int = 0

    @property
    def firsts(self) -> float:
        """Return the share of games in which it came first, alone or shared."""
        return self.first / self.games

    @property
    def average(self) -> float:
        """Return the average points per game."""
        return self.points / self.games


def boards_of(version: Version) -> list[BoardResult]:
    """Return the latest `SAMPLE` ladder games by board, the most frequent boards first."""
    latest = visible_seats(None).filter(version=version).order_by("-pk")[:SAMPLE]
    columns = ("match__block__state", "match__block__purpose", "match__block__board")
    rows = latest.values_list(*columns, "result__place", "result__points")
    boards: dict[str, BoardResult] = {}
    for state, purpose, board, place, points in rows:
        if (state, purpose) != (BlockState.RECORDED, Purpose.LADDER) or place is None:
            continue
        one = boards.setdefault(board, BoardResult(board))
        one.games += 1
        one.first += place == 1
        one.points += points
    found = sorted(boards.values(), key=lambda one: (-one.games, one.board))
    return found[:MOST_BOARDS]
