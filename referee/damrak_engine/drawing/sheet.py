"""Sheet of a board: the positions of its locations and routes, in whole pixels.

Generator, checks and drawing all use this one layout. Routes between the same two locations lie
side by side on one bed; a bed is straight, and its body is the part between its locations on which
spaces are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isqrt
from typing import Final, NamedTuple

from damrak_engine.board import Board
from damrak_engine.drawing.geometry import (
    Point,
    Ribbon,
    Segment,
    distance,
    dot,
    ribbon,
    shortened,
    square,
    turn,
)

PITCH: Final = 78  # preferred distance between the middles of adjacent spaces
ROW: Final = 18  # breadth of a space
BETWEEN_ROWS: Final = 4
RIM: Final = 3  # of the bed around its spaces
RADIUS: Final = 11  # of a location
END: Final = 18  # from the middle of a location to its first space, or more where beds crowd


class Bed(NamedTuple):
    """The routes between two locations, side by side.

    `body` is the line along its middle, `half` is half its breadth. A crowded bed would have to be
    shorter to keep clear of the others at its ends.
    """

    a: int
    b: int
    routes: tuple[int, ...]
    half: int
    body: Segment
    area: Ribbon
    is_crowded: bool


class Sheet(NamedTuple):
    """A board in pixels: its locations by index, its beds, and the length of each route."""

    places: tuple[Point, ...]
    beds: tuple[Bed, ...]
    lengths: tuple[int, ...]


class Span(NamedTuple):
    """Ends and length of a route, as the layout needs them."""

    a: int
    b: int
    length: int


def sheet_of(board: Board) -> Sheet:
    """Return the sheet of a board."""
    spots = [Point(location.x, location.y) for location in board.locations]
    return lay_out(spots, [Span(route.a, route.b, route.length) for route in board.routes])


def lay_out(spots: Sequence[Point], routes: Sequence[Span]) -> Sheet:
    """Return the sheet, scaled so that about half of the routes have more room than preferred."""
    rows: dict[tuple[int, int], list[int]] = {}
    for i, route in enumerate(routes):
        rows.setdefault((min(route.a, route.b), max(route.a, route.b)), []).append(i)
    scale = _scale(spots, (routes[beside[0]] for beside in rows.values()))
    places = _placed(spots, scale)
    halves = {ends: half_breadth(len(beside)) for ends, beside in rows.items()}
    beds = []
    for (a, b), beside in rows.items():
        cut_a, cut_b = _cut(places, halves, a, b), _cut(places, halves, b, a)
        body = shortened((places[a], places[b]), cut_a, cut_b)
        half = halves[a, b]
        crowded = 2 * (cut_a + cut_b) > distance(places[a], places[b])
        beds.append(Bed(a, b, tuple(beside), half, body, ribbon(body, half), crowded))
    return Sheet(places, tuple(beds), tuple(route.length for route in routes))


def _cut(places: Sequence[Point], halves: Mapping[tuple[int, int], int], at: int, to: int) -> int:
    """Return how far from `at` the body of the bed to `to` begins, clear of other beds."""
    cut = END
    half = halves[min(at, to), max(at, to)]
    origin, end = places[at], places[to]
    for (a, b), other in halves.items():
        if at not in (a, b) or to in (a, b):
            continue
        third = places[b if a == at else a]
        if dot(origin, end, third) <= 0:
            cut = max(cut, other)
        elif across := abs(turn(origin, end, third)):
            sides = isqrt(square(origin, end) * square(origin, third))
            along = dot(origin, end, third)
            cut = max(cut, ((other + RIM) * sides + (half + RIM) * along) // across + RIM)
    return cut


def room_for(length: int) -> int:
    """Return how far apart two locations should be for a route of this length."""
    return PITCH * length + 2 * END


def length_at(distance: int) -> int:
    """Return the length that fits this distance best; at least 1."""
    return max(1, (distance - 2 * END + PITCH // 2) // PITCH)


def half_breadth(rows: int) -> int:
    """Return half the breadth of a bed with this many routes, rounded up."""
    return (rows * ROW + (rows - 1) * BETWEEN_ROWS + 1) // 2


def _scale(spots: Sequence[Point], routes: Iterable[Span]) -> int:
    """Return the scale in thousandths of a pixel per unit of the board file."""
    fits = []
    for a, b, length in routes:
        far = isqrt(10**6 * ((spots[a].x - spots[b].x) ** 2 + (spots[a].y - spots[b].y) ** 2))
        fits.append(room_for(length) * 10**6 // max(far, 1))
    return sorted(fits)[len(fits) // 2]


def _placed(spots: Sequence[Point], scale: int) -> tuple[Point, ...]:
    left, top = min(spot.x for spot in spots), min(spot.y for spot in spots)
    return tuple(
        Point((spot.x - left) * scale // 1000, (spot.y - top) * scale // 1000) for spot in spots
    )
