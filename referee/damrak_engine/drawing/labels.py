"""Labels: the size of each location's name, and the side on which it is placed.

The drawing uses the same size model: it stretches every line to the width computed here, so boxes
that do not overlap here do not overlap on any screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from damrak_engine.board import Board
from damrak_engine.drawing.geometry import Box, Point, length_within, overlap
from damrak_engine.drawing.sheet import RADIUS, Bed, Sheet

FONT_SIZE: Final = 15
LINE: Final = 17  # the height of a line
ONE_LINE: Final = 90  # a wider name may be broken into two lines

# Widths of letters in hundredths of the font size, for a serif face of ordinary width.
_WIDTHS: Final[Mapping[str, int]] = {
    letter: width
    for letters, width in (
        (" ijl'.,’", 29),  # noqa: RUF001 - an apostrophe begins some names
        ("ftI-", 36),
        ("crsz", 44),
        ("aegvxyJ", 50),
        ("bdhknopqu0123456789S", 57),
        ("ABCEFKLPRTVXYZ", 66),
        ("wDGHNOQU", 75),
        ("mMW", 90),
    )
    for letter in letters
}
_OTHER: Final = 60
_WIDE: Final = 100  # scripts that fill a square

SIDES: Final = ("e", "w", "ne", "se", "n", "s", "nw", "sw")  # best first
Side: TypeAlias = str

_CLASH: Final = 10_000  # with a name or a location: worse than anything else
_COVERS: Final = 100  # a bed, plus two for every pixel of it
_DOUBTFUL: Final = 20  # could be taken for the name of another location
_SWEEPS: Final = 12
_REACH: Final = 60  # maximum distance of a name from its location, plus its height


class Label(NamedTuple):
    """The name of a location (by index) on the sheet, in one line or two."""

    location: int
    lines: tuple[str, ...]
    side: Side
    box: Box

    def line_boxes(self) -> Iterator[tuple[str, Box]]:
        """Yield each line and its box: next to its location, or centred above or below it."""
        left, top, right, _ = self.box
        for line in self.lines:
            spare = right - left - text_width(line)
            indent = 0 if "e" in self.side else spare if "w" in self.side else spare // 2
            yield line, Box(left + indent, top, left + indent + text_width(line), top + LINE)
            top += LINE


def text_width(text: str, size: int = FONT_SIZE) -> int:
    """Return the width of a text as drawn, in pixels."""
    hundredths = sum(_WIDTHS.get(c, _WIDE if ord(c) > 0x2E7F else _OTHER) for c in text)
    return (hundredths * size + 99) // 100


def _broken(name: str) -> list[tuple[str, ...]]:
    """Return the name in one line; if it is long, also in two lines as narrow as possible."""
    words = name.split()
    whole = " ".join(words)
    breaks = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words))]
    if not breaks or text_width(whole) <= ONE_LINE:
        return [(whole,)]
    return [min(breaks, key=lambda lines: max(map(text_width, lines))), (whole,)]


def labels_of(board: Board, sheet: Sheet) -> tuple[Label, ...]:
    """Return the labels on a board's sheet, on the sides that its file requests."""
    given = {}
    for i, location in enumerate(board.source["locations"]):
        if location.get("label") in SIDES:
            given[i] = location["label"]
    return place_labels(sheet, [location.name for location in board.locations], given)


def place_labels(
    sheet: Sheet, names: Sequence[str], given: Mapping[int, Side] | None = None
) -> tuple[Label, ...]:
    """Return a label for every location, placed with as few collisions as possible.

    `given` holds the sides that are already fixed, by index of location.
    """
    settled = given or {}
    choices = [
        _choices(sheet, i, name, (settled[i],) if i in settled else SIDES)
        for i, name in enumerate(names)
    ]
    # Place the hardest first, and repeat until no label moves.
    order = sorted(range(len(names)), key=lambda i: (-min(cost for cost, _ in choices[i]), i))
    chosen: dict[int, int] = {}
    for _ in range(_SWEEPS):
        before = dict(chosen)
        for i in order:
            others = [choices[j][k][1].box for j, k in chosen.items() if j != i]
            chosen[i] = min(
                range(len(choices[i])),
                key=lambda k: choices[i][k][0] + _CLASH * _meeting(choices[i][k][1].box, others),
            )
        if chosen == before:
            break
    return tuple(choices[i][chosen[i]][1] for i in range(len(choices)))


def covered_beds(sheet: Sheet, box: Box) -> list[int]:
    """Return the beds that a name in this box would cover."""
    return [i for i, bed in enumerate(sheet.beds) if overlap(bed.area, box)]


def _choices(
    sheet: Sheet, location: int, name: str, sides: Sequence[Side]
) -> list[tuple[int, Label]]:
    """Return the best label on each of the sides, with its cost."""
    place, broken = sheet.places[location], _broken(name)
    reach = max(map(text_width, broken[-1])) + _REACH
    around = Box(place.x, place.y, place.x, place.y).grown(reach)
    beds = [bed for bed in sheet.beds if overlap(bed.area, around)]
    places = [p for i, p in enumerate(sheet.places) if i != location and around.holds(p)]
    found = []
    for side in sides:
        labels = [
            (SIDES.index(side) + cost, Label(location, lines, side, box))
            for lines in broken
            for cost, box in [_best_box(beds, places, list(_boxes(place, lines, side)))]
        ]
        found.append(min(labels, key=lambda choice: choice[0]))
    return found


def _best_box(
    beds: Sequence[Bed], places: Sequence[Point], boxes: Sequence[tuple[int, Box]]
) -> tuple[int, Box]:
    """Return the box with the least harm plus distance, from boxes sorted by distance."""
    best_cost, best = boxes[0][0] + _harm(beds, places, boxes[0][1]), boxes[0][1]
    for away, box in boxes[1:]:
        if away >= best_cost:
            break
        cost = away + _harm(beds, places, box)
        if cost < best_cost:
            best_cost, best = cost, box
    return best_cost, best


def _boxes(place: Point, lines: Sequence[str], side: Side) -> Iterator[tuple[int, Box]]:
    """Yield the boxes to try on a side of a location, each with its distance from it."""
    width, height = max(map(text_width, lines)), LINE * len(lines)
    x = {"e": place.x, "w": place.x - width}.get(side[-1], place.x - width // 2)
    y = {"s": place.y, "n": place.y - height}.get(side[0], place.y - height // 2)
    for dx, dy in _SHIFTS[side]:
        if side in "ew" or len(side) == 2 or abs(dx) <= width // 2:
            box = Box(x + dx, y + dy, x + dx + width, y + dy + height)
            yield abs(dx) + abs(dy), box


def _shifts(side: Side) -> list[tuple[int, int]]:
    outward = (8, 13, 18, 24, 30) if len(side) == 2 else (RADIUS + 2, RADIUS + 8, RADIUS + 14)
    sideways = (0, -7, 7, -14, 14) if side in "ew" else (0, -10, 10, -20, 20, -30, 30, -40, 40)
    xs = [-d for d in outward] if "w" in side else outward if "e" in side else sideways
    ys = [-d for d in outward] if "n" in side else outward if "s" in side else sideways
    return sorted(((x, y) for x in xs for y in ys), key=lambda s: abs(s[0]) + abs(s[1]))


_SHIFTS: Final = {side: _shifts(side) for side in SIDES}


def _harm(beds: Sequence[Bed], places: Sequence[Point], box: Box) -> int:
    near, nearer = box.grown(RADIUS + 10), box.grown(RADIUS + 2)
    harm = sum(_CLASH if nearer.holds(p) else _DOUBTFUL * near.holds(p) for p in places)
    grown = box.grown(2)
    for bed in beds:
        if overlap(bed.area, grown):
            harm += _COVERS + 2 * length_within(bed.body, box.grown(bed.half))
    return harm


def _meeting(box: Box, others: Sequence[Box]) -> int:
    grown = box.grown(3)
    return sum(grown.meets(other) for other in others)
