"""The canals behind the board: rings of water round its middle, in the manner of the old city."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from damrak_engine.drawing.geometry import Point, turn

RINGS: Final = (100, 68, 38)  # how large, in hundredths of the outermost
BEYOND: Final = 34  # from the outermost locations to the outermost ring


def rings(places: Sequence[Point]) -> list[list[Point]]:
    """The corners of each ring, outermost first; none if the locations are all in one line."""
    corners = hull(places)
    if len(corners) < 3:
        return []
    middle = Point(
        sum(corner.x for corner in corners) // len(corners),
        sum(corner.y for corner in corners) // len(corners),
    )
    return [[_seen_from(middle, corner, percent) for corner in corners] for percent in RINGS]


def hull(places: Sequence[Point]) -> list[Point]:
    """The convex hull of some places, in order round it."""
    ordered = sorted(set(places))
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return lower[:-1] + upper[:-1]


def smooth_path(corners: Sequence[Point]) -> str:
    """A closed curve through these corners, as SVG path data."""
    count = len(corners)
    path = [f"M{corners[0].x} {corners[0].y}"]
    for i in range(count):
        before, a, b, after = (corners[(i + k) % count] for k in (-1, 0, 1, 2))
        path.append(
            f"C{a.x + (b.x - before.x) // 6} {a.y + (b.y - before.y) // 6} "
            f"{b.x - (after.x - a.x) // 6} {b.y - (after.y - a.y) // 6} {b.x} {b.y}"
        )
    return "".join(path) + "Z"


def _chain(ordered: Sequence[Point]) -> list[Point]:
    chain: list[Point] = []
    for point in ordered:
        while len(chain) >= 2 and turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _seen_from(middle: Point, corner: Point, percent: int) -> Point:
    dx, dy = corner.x - middle.x, corner.y - middle.y
    far = max(abs(dx) + abs(dy), 1)
    return Point(
        middle.x + (dx + dx * 2 * BEYOND // far) * percent // 100,
        middle.y + (dy + dy * 2 * BEYOND // far) * percent // 100,
    )
