"""Viewpoints on a match ("eyes"): all seats at once, the public table, or a single seat."""

from __future__ import annotations

from typing import Final, TypeAlias

Eyes: TypeAlias = str
"""`all`, `table`, or the number of a seat, from 0."""

ALL: Final = "all"
TABLE: Final = "table"


def eyes_of(seats: int) -> tuple[Eyes, ...]:
    """Return all viewpoints on a match with this number of seats."""
    return (ALL, TABLE, *map(str, range(seats)))


def seat_of(eyes: Eyes) -> int:
    """Return the seat of a viewpoint; -1 if it is not that of a single seat."""
    return -1 if eyes in (ALL, TABLE) else int(eyes)
