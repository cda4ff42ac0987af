"""Luck-adjusted results of a mirrored block: the value of each seat, and what each bot added.

All bots that sat in a seat of a mirrored block had the same cards there. The mean of their points
is the value of the seat; the points of a bot beyond it, over all seats, are its own achievement.
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
    beyond: float  # points above the mean of all bots in this seat


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat with its cards, in each game of a round."""

    number: int
    round: int
    worth: float  # mean of the points
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Own:
    """The average points per game that a version made beyond the value of its seats."""

    version: Version
    beyond: float
    games: int


def seat_rows(matches: Sequence[Match], seats: int) -> list[SeatRow]:
    """Return the seats of each round whose games have all been recorded."""
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
    """Return the points of each version beyond the value of its seats, the most first."""
    beyond: dict[int, list[float]] = {}
    versions: dict[int, Version] = {}
    for row in rows:
        for cell in row.cells:
            versions[cell.seat.version_id] = cell.seat.version
            beyond.setdefault(cell.seat.version_id, []).append(cell.beyond)
    found = [Own(versions[key], sum(all_) / len(all_), len(all_)) for key, all_ in beyond.items()]
    return sorted(found, key=lambda one: (-one.beyond, one.version.pk))
