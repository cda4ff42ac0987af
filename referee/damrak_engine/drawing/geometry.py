"""Plane geometry in whole numbers, with the same results on every machine.

Distance limits are strict: "within" excludes touching.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import NamedTuple, TypeAlias


class Point(NamedTuple):
    """A place on a sheet; x grows to the right, y downwards."""

    x: int
    y: int


class Box(NamedTuple):
    """An upright rectangle."""

    left: int
    top: int
    right: int
    bottom: int

    def grown(self, margin: int) -> Box:
        """Return the same rectangle with a margin around it."""
        return Box(self.left - margin, self.top - margin, self.right + margin, self.bottom + margin)

    def meets(self, other: Box) -> bool:
        """Return whether the two share more than an edge."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, point: Point) -> bool:
        """Return whether the point lies inside, not on the edge."""
        return self.left < point.x < self.right and self.top < point.y < self.bottom


Segment: TypeAlias = tuple[Point, Point]


def square(a: Point, b: Point) -> int:
    """Return the square of the distance between two points."""
    return (a.x - b.x) ** 2 + (a.y - b.y) ** 2


def distance(a: Point, b: Point) -> int:
    """Return the distance between two points, rounded down."""
    return isqrt(square(a, b))


def shortened(segment: Segment, first: int, last: int) -> Segment:
    """Return the segment shortened by these lengths at its ends, but at most by half."""
    a, b = segment
    length = max(distance(a, b), 1)
    if 2 * (first + last) > length:
        first, last = (length * cut // (2 * (first + last)) for cut in (first, last))
    dx, dy = b.x - a.x, b.y - a.y
    return (
        Point(a.x + dx * first // length, a.y + dy * first // length),
        Point(b.x - dx * last // length, b.y - dy * last // length),
    )


def turn(a: Point, b: Point, c: Point) -> int:
    """Return which way the path a, b, c bends: positive, negative or zero."""
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)


def dot(a: Point, b: Point, c: Point) -> int:
    """Return the scalar product of the vectors from a to b and from a to c."""
    return (b.x - a.x) * (c.x - a.x) + (b.y - a.y) * (c.y - a.y)


def cross(first: Segment, second: Segment) -> bool:
    """Return whether two segments have a point in common."""
    (a, b), (c, d) = first, second
    s, t = turn(a, b, c), turn(a, b, d)
    u, v = turn(c, d, a), turn(c, d, b)
    if _opposite(s, t) and _opposite(u, v):
        return True
    return (
        (s == 0 and _between(a, b, c))
        or (t == 0 and _between(a, b, d))
        or (u == 0 and _between(c, d, a))
        or (v == 0 and _between(c, d, b))
    )


def is_near(point: Point, segment: Segment, limit: int) -> bool:
    """Return whether the point lies within `limit` of the segment."""
    a, b = segment
    length = square(a, b)
    along = (point.x - a.x) * (b.x - a.x) + (point.y - a.y) * (b.y - a.y)
    if along <= 0:
        return square(point, a) < limit * limit
    if along >= length:
        return square(point, b) < limit * limit
    return turn(a, b, point) ** 2 < limit * limit * length


def come_near(first: Segment, second: Segment, limit: int) -> bool:
    """Return whether two segments come within `limit` of each other."""
    return (
        cross(first, second)
        or any(is_near(end, second, limit) for end in first)
        or any(is_near(end, first, limit) for end in second)
    )


class Ribbon(NamedTuple):
    """A rectangle along a segment, and its upright bounding box."""

    corners: tuple[Point, Point, Point, Point]
    bounds: Box


def ribbon(segment: Segment, half: int) -> Ribbon:
    """Return the rectangle along a segment that extends by `half` on either side."""
    a, b = segment
    length = max(distance(a, b), 1)
    dx, dy = -(b.y - a.y) * half // length, (b.x - a.x) * half // length
    corners = (
        Point(a.x + dx, a.y + dy),
        Point(b.x + dx, b.y + dy),
        Point(b.x - dx, b.y - dy),
        Point(a.x - dx, a.y - dy),
    )
    xs, ys = [corner.x for corner in corners], [corner.y for corner in corners]
    return Ribbon(corners, Box(min(xs), min(ys), max(xs), max(ys)))


def overlap(ribbon: Ribbon, box: Box) -> bool:
    """Return whether a ribbon and a box have an area in common."""
    if not box.meets(ribbon.bounds):
        return False
    others = (
        Point(box.left, box.top),
        Point(box.right, box.top),
        Point(box.right, box.bottom),
        Point(box.left, box.bottom),
    )
    a, b, c, d = ribbon.corners
    # Two convex shapes are apart if the extension of a side of one of them separates them.
    return not any(
        _all_beyond(start, end, inside, others)
        for start, end, inside in ((a, b, c), (b, c, d), (c, d, a), (d, a, b))
    )


def hull(points: Sequence[Point]) -> list[Point]:
    """Return the corners of the convex hull, in order around it."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    return _chain(ordered)[:-1] + _chain(ordered[::-1])[:-1]


def length_within(segment: Segment, box: Box) -> int:
    """Return about how much of a segment lies in a box."""
    (ax, ay), (bx, by) = segment
    first, last = 0, 1000  # in thousandths of the segment
    for a, b, low, high in ((ax, bx, box.left, box.right), (ay, by, box.top, box.bottom)):
        if a == b:
            if not low < a < high:
                return 0
            continue
        ends = sorted(((low - a) * 1000 // (b - a), (high - a) * 1000 // (b - a)))
        first, last = max(first, ends[0]), min(last, ends[1])
    return max(0, last - first) * distance(*segment) // 1000


def _chain(ordered: Sequence[Point]) -> list[Point]:
    chain: list[Point] = []
    for point in ordered:
        while len(chain) >= 2 and turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _all_beyond(start: Point, end: Point, inside: Point, others: Sequence[Point]) -> bool:
    if turn(start, end, inside) > 0:
        return all(turn(start, end, other) <= 0 for other in others)
    return all(turn(start, end, other) >= 0 for other in others)


def _opposite(s: int, t: int) -> bool:
    return (s < 0 < t) or (t < 0 < s)


def _between(a: Point, b: Point, point: Point) -> bool:
    return min(a.x, b.x) <= point.x <= max(a.x, b.x) and min(a.y, b.y) <= point.y <= max(a.y, b.y)
