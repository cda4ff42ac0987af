"""The block: one table played in every rotation of its seats."""

from __future__ import annotations


def rotations(seats: int) -> list[tuple[int, ...]]:
    """The games of a block: for each, which of the bots sits in each seat."""
    return [tuple([(seat + turn) % seats for seat in range(seats)]) for turn in range(seats)]
