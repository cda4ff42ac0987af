"""What the cards of each seat were worth, and what each bot made of them: luck cancelled.

Whoever sat in a seat of a mirrored block had the same cards there. The mean of their points is what
the seat was worth; what a bot made beyond it, over all seats, is its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Match, Seat


@dataclass(frozen=True, slots=True)
class Cell:
    """One game of a seat."""

    seat: Seat
    beyond: float  # points beyond the mean of all who sat there


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat with its cards, in each game of a round."""

    number: int
    round: int
    worth: float  # the mean of points
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Own:
    """What a version made beyond what its seats were worth, in a game on average."""

    version: Version
    beyond: float
    games: int


def seat_rows(matches: Sequence[Match], seats: int) -> list[SeatRow]:
    """The seats of each round whose games have all been recorded."""
    rows = []
    for begin in range(0, len(matches), seats):
        games = matches[begin : begin + seats]
        for number in range(seats):
            sat = [seat for game in games for seat in game.seats.all() if seat.number == number]
            if not sat or not all(hasattr(seat, "result") for seat in sat):
                continue
            worth = sum(seat.result.points for seat in sat) / len(sat)
            cells = [Cell(seat, seat.result.points - worth) for seat in sat]
            rows.append(SeatRow(number, begin // seats, worth, cells))
    return rows


def owns(rows: Sequence[SeatRow]) -> list[Own]:
    """What each version made of its cards, the most first."""
    beyond: dict[int, list[float]] = {}
    versions: dict[int, Version] = {}
    for row in rows:
        for cell in row.cells:
            versions[cell.seat.version_id] = cell.seat.version
            beyond.setdefault(cell.seat.version_id, []).append(cell.beyond)
    found = [Own(versions[key], sum(all_) / len(all_), len(all_)) for key, all_ in beyond.items()]
    return sorted(found, key=lambda one: (-one.beyond, one.version.pk))
