"""Whose eyes a match is seen with: everybody's at once, nobody's in particular, or one seat's."""

from __future__ import annotations

from typing import Final, TypeAlias

Eyes: TypeAlias = str
"""`all`, `table`, or the number of a seat, from 0."""

ALL: Final = "all"
TABLE: Final = "table"


def eyes_of(seats: int) -> tuple[Eyes, ...]:
    """All the eyes that a match with so many seats can be seen with."""
    return (ALL, TABLE, *map(str, range(seats)))


def seat_of(eyes: Eyes) -> int:
    """The seat whose eyes these are; -1 if they are of none."""
    return -1 if eyes in (ALL, TABLE) else int(eyes)
