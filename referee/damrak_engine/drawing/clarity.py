"""Readability checks of drawn boards: crossings, crowding, badly placed names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from damrak_engine.board import Board
from damrak_engine.drawing.geometry import come_near, cross, distance, is_near
from damrak_engine.drawing.labels import Label, covered_beds, labels_of
from damrak_engine.drawing.sheet import RADIUS, Bed, Sheet, sheet_of

SHORTEST_SPACE: Final = 40
APART: Final = 2  # minimum gap between things that must not touch


class Flaw(NamedTuple):
    """A readability problem, and the index of the bed that causes it, if any.

    A flaw that is not grave is a minor blemish.
    """

    text: str
    grave: bool
    bed: int | None


def flaws_of(board: Board) -> list[Flaw]:
    """Return all readability problems of a board's drawing."""
    sheet = sheet_of(board)
    names = [location.name for location in board.locations]
    return list(flaws(sheet, labels_of(board, sheet), names))


def flaws(sheet: Sheet, labels: Sequence[Label], names: Sequence[str]) -> Iterator[Flaw]:
    """Yield all readability problems of a sheet with these labels."""
    yield from _route_flaws(sheet, names)
    yield from _label_flaws(sheet, labels, names)


def _route_flaws(sheet: Sheet, names: Sequence[str]) -> Iterator[Flaw]:
    places = sheet.places
    for (i, one), (j, two) in combinations(enumerate(sheet.beds), 2):
        if {one.a, one.b} & {two.a, two.b}:
            continue
        longer = i if distance(*one.body) > distance(*two.body) else j
        if cross((places[one.a], places[one.b]), (places[two.a], places[two.b])):
            yield Flaw(f"{_ends(one, names)} crosses {_ends(two, names)}", True, longer)
        elif come_near(one.body, two.body, one.half + two.half + APART):
            yield Flaw(f"{_ends(one, names)} touches {_ends(two, names)}", True, longer)
    for i, bed in enumerate(sheet.beds):
        way = places[bed.a], places[bed.b]
        for k, place in enumerate(places):
            if k not in (bed.a, bed.b) and is_near(place, way, RADIUS + bed.half + APART):
                yield Flaw(f"{_ends(bed, names)} passes too near {names[k]}", True, i)
        longest = max(sheet.lengths[route] for route in bed.routes)
        if distance(*bed.body) < SHORTEST_SPACE * longest:
            yield Flaw(f"{_ends(bed, names)} has too little room for its spaces", True, i)
        elif bed.is_crowded:
            yield Flaw(f"{_ends(bed, names)} touches a route that begins beside it", False, i)


def _label_flaws(sheet: Sheet, labels: Sequence[Label], names: Sequence[str]) -> Iterator[Flaw]:
    for one, two in combinations(labels, 2):
        if one.box.grown(APART).meets(two.box):
            collision = f"the names {names[one.location]} and {names[two.location]} collide"
            yield Flaw(collision, True, None)
    for label in labels:
        name = names[label.location]
        for k, place in enumerate(sheet.places):
            if k != label.location and label.box.grown(RADIUS + APART).holds(place):
                yield Flaw(f"the name {name} lies on {names[k]}", True, None)
        for i in covered_beds(sheet, label.box):
            yield Flaw(f"the name {name} lies on {_ends(sheet.beds[i], names)}", False, i)


def _ends(bed: Bed, names: Sequence[str]) -> str:
    return f"{names[bed.a]} - {names[bed.b]}"
