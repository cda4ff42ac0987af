"""Layout of locations: even, but closer together in the middle than at the rim."""

from __future__ import annotations

from math import isqrt
from typing import Final

from damrak_engine.drawing.geometry import Point, distance
from damrak_engine.generator.draws import Draws

CELL: Final = 150  # side of the square that a location has on average
ASPECT: Final = (4, 3)
TRIES: Final = 12  # candidates, of which the farthest from all others is taken
MIDDLE: Final = 60  # preferred distance between locations in the middle of the town
RIM: Final = 135  # … and in its corners


def spread(draws: Draws, count: int) -> list[Point]:
    """Return `count` places on a sheet with an aspect ratio of four to three."""
    width = isqrt(count * CELL * CELL * ASPECT[0] // ASPECT[1])
    height = width * ASPECT[1] // ASPECT[0]
    middle = Point(
        width // 2 + draws.between(-width // 10, width // 10),
        height // 2 + draws.between(-height // 10, height // 10),
    )
    corner = distance(Point(0, 0), Point(width // 2, height // 2))
    spots: list[Point] = []
    wishes: list[int] = []
    for _ in range(count):
        best, best_room, best_wish = Point(0, 0), -1, 0
        for _ in range(TRIES):
            spot = Point(draws.below(width), draws.below(height))
            wish = MIDDLE + (RIM - MIDDLE) * min(distance(spot, middle), corner) // corner
            room = min(
                (
                    100 * distance(spot, other) // min(wish, other_wish)
                    for other, other_wish in zip(spots, wishes, strict=True)
                ),
                default=0,
            )
            if room > best_room:
                best, best_room, best_wish = spot, room, wish
        spots.append(best)
        wishes.append(best_wish)
    return spots
