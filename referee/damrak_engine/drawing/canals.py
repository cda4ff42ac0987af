"""Canals in the background of a board: rings of water around its middle, as in the old city."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from damrak_engine.drawing.geometry import Point

RINGS: Final = (100, 66, 34)  # sizes, in hundredths of the outermost
BEYOND: Final = 52  # from the outermost locations to the outermost ring
_QUARTER: Final = (1000, 924, 707, 383, 0)  # cosines, in thousandths
_COUNT: Final = 16  # directions of the compass


def rings(places: Sequence[Point]) -> list[list[Point]]:
    """Return sixteen points of each ring, outermost first."""
    left, right = min(p.x for p in places), max(p.x for p in places)
    top, bottom = min(p.y for p in places), max(p.y for p in places)
    middle = Point((left + right) // 2, (top + bottom) // 2)
    # How far the locations reach in each direction; together these lines are a wall around them.
    walls = [
        max((p.x - middle.x) * _cosine(i) + (p.y - middle.y) * _cosine(i - 4) for p in places)
        for i in range(_COUNT)
    ]
    reach = [
        min(walls[(i + k) % _COUNT] // _cosine(k) for k in range(-3, 4)) for i in range(_COUNT)
    ]
    return [
        [
            Point(
                middle.x + (reach[i] + BEYOND) * percent * _cosine(i) // 100_000,
                middle.y + (reach[i] + BEYOND) * percent * _cosine(i - 4) // 100_000,
            )
            for i in range(_COUNT)
        ]
        for percent in RINGS
    ]


def smooth_path(corners: Sequence[Point]) -> str:
    """Return a closed curve through these corners, as SVG path data."""
    count = len(corners)
    path = [f"M{corners[0].x} {corners[0].y}"]
    for i in range(count):
        before, a, b, after = (corners[(i + k) % count] for k in (-1, 0, 1, 2))
        path.append(
            f"C{a.x + (b.x - before.x) // 6} {a.y + (b.y - before.y) // 6} "
            f"{b.x - (after.x - a.x) // 6} {b.y - (after.y - a.y) // 6} {b.x} {b.y}"
        )
    return "".join(path) + "Z"


def _cosine(direction: int) -> int:
    """Return the cosine of a direction in sixteenths of a full turn, in thousandths."""
    half = abs((direction + 8) % _COUNT - 8)
    return _QUARTER[half] if half <= 4 else -_QUARTER[8 - half]
