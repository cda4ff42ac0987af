"""Seat rotations of a block: one table, played once in every rotation of its seats."""

from __future__ import annotations


def rotations(seats: int) -> list[tuple[int, ...]]:
    """Return, for each game of a block, the index of the bot in each seat."""
    return [tuple([(seat + turn) % seats for seat in range(seats)]) for turn in range(seats)]
