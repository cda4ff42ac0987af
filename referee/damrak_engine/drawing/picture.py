"""SVG picture of a board: one self-contained, well-formed document.

Each route is a group with `data-route`, each location one with `data-location`, so that a page can
find them; the titles of routes appear as tooltips.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from damrak_engine.board import COLOUR_WORDS, Board, Route
from damrak_engine.drawing.canals import rings, smooth_path
from damrak_engine.drawing.geometry import Box, Point, distance
from damrak_engine.drawing.labels import FONT_SIZE, LINE, Label, labels_of, text_width
from damrak_engine.drawing.sheet import BETWEEN_ROWS, RADIUS, RIM, ROW, Bed, Sheet, sheet_of
from damrak_engine.drawing.style import CART, FONT, ON_LIGHT, SIGNS, STYLE, TITLE_SIZE

MARGIN: Final = 30
HEAD: Final = 52  # for the title
FOOT: Final = 64  # for the legend
GAP: Final = 4  # between two spaces
LEAST_WIDTH: Final = 660  # for the legend


def draw(board: Board) -> str:
    """Return the board as an SVG document."""
    sheet = sheet_of(board)
    labels = labels_of(board, sheet)
    wanted = max(LEAST_WIDTH, text_width(board.name, TITLE_SIZE))
    frame = frame_of(sheet, labels, wanted)
    return "\n".join(_document(board, sheet, labels, frame)) + "\n"


def escaped(text: str) -> str:
    """Return the text escaped for XML content and double-quoted attributes."""
    marks = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    shown = (c if c.isprintable() else " " for c in text)
    return "".join(marks.get(c, c) for c in shown)


def frame_of(sheet: Sheet, labels: tuple[Label, ...], wanted: int) -> Box:
    """Return the frame of a picture at least `wanted` wide, with room for title and legend."""
    boxes = [label.box for label in labels]
    boxes += [Box(p.x, p.y, p.x, p.y).grown(RADIUS) for p in sheet.places]
    boxes += [Box(p.x, p.y, p.x, p.y) for ring in rings(sheet.places) for p in ring]
    left, right = min(b.left for b in boxes), max(b.right for b in boxes)
    top, bottom = min(b.top for b in boxes), max(b.bottom for b in boxes)
    widen = max(0, wanted - (right - left)) // 2
    return Box(
        left - MARGIN - widen, top - MARGIN - HEAD, right + MARGIN + widen, bottom + MARGIN + FOOT
    )


def _document(board: Board, sheet: Sheet, labels: tuple[Label, ...], frame: Box) -> Iterator[str]:
    width, height = frame.right - frame.left, frame.bottom - frame.top
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="damrak" role="img" width="{width}"'
        f' height="{height}" viewBox="{frame.left} {frame.top} {width} {height}">'
    )
    yield f"<title>{escaped(board.name)}</title>"
    style = (
        STYLE.strip()
        .replace("FONT", FONT)
        .replace("NAME", str(FONT_SIZE))
        .replace("TITLE", str(TITLE_SIZE))
    )
    yield f"<style>\n{style}\n</style>"
    yield (
        f'<rect class="paper" x="{frame.left + 1}" y="{frame.top + 1}" width="{width - 2}"'
        f' height="{height - 2}" rx="14"/>'
    )
    yield from scene(board, sheet, labels)
    yield from _legend(board, frame)
    yield "</svg>"


def scene(
    board: Board, sheet: Sheet, labels: tuple[Label, ...], on_routes: Iterable[str] = ()
) -> Iterator[str]:
    """Yield the town itself: canals, routes and what lies on them, locations."""
    canals = [smooth_path(ring) for ring in rings(sheet.places)]
    for name in ("quay", "water"):
        yield from (f'<path class="{name}" d="{path}"/>' for path in canals)
    for bed in sheet.beds:
        a, b = sheet.places[bed.a], sheet.places[bed.b]
        yield f'<path class="lead" d="M{a.x} {a.y}L{b.x} {b.y}"/>'
    for bed in sheet.beds:
        yield from _bed(board, sheet, bed)
    yield from on_routes
    for label, place in zip(labels, sheet.places, strict=True):
        yield from _location(board, label, place)


def bed_frame(bed: Bed) -> tuple[str, int]:
    """Return the transform from a level frame, centred on the bed, and the bed's length."""
    start, end = bed.body
    span = max(distance(start, end), 1)
    cos, sin = (end.x - start.x) / span, (end.y - start.y) / span
    upside = -1 if cos < 0 or (cos == 0 and sin < 0) else 1  # keeps signs upright
    middle_x, middle_y = (start.x + end.x) / 2, (start.y + end.y) / 2
    values = (upside * cos, upside * sin, -upside * sin, upside * cos, middle_x, middle_y)
    return f"matrix({' '.join(map(decimal, values))})", span


def first_row(bed: Bed) -> float:
    """Return the offset of the first route from its bed's middle; the others follow in rows."""
    return -(len(bed.routes) - 1) * (ROW + BETWEEN_ROWS) / 2


def _bed(board: Board, sheet: Sheet, bed: Bed) -> Iterator[str]:
    transform, span = bed_frame(bed)
    yield f'<g transform="{transform}">'
    yield _rect("bed", -span / 2 - RIM, -bed.half - RIM, span + 2 * RIM, 2 * (bed.half + RIM), 6)
    across = first_row(bed)
    for number in bed.routes:
        yield from _route(board, board.routes[number], across, span)
        across += ROW + BETWEEN_ROWS
    yield "</g>"


def _route(board: Board, route: Route, across: float, span: int) -> Iterator[str]:
    colour = route.colour_word
    goods = ", goods" if route.goods else ""
    yield f'<g data-route="{route.id}">'
    yield f"<title>{route.id}: {escaped(board.route_name(route.id))}{goods}</title>"
    pitch = span / route.length
    for i in range(route.length):
        x = -span / 2 + pitch * i
        yield _rect(f"space {colour}", x + GAP / 2, across - ROW / 2, pitch - GAP, ROW, 3)
        middle = x + pitch / 2
        shift = min(13.0, pitch / 4) if route.goods and not route.is_grey else 0.0
        yield from _sign(colour, middle - shift, across)
        if route.goods:
            yield _path("cart", CART, middle + shift, across)
    yield "</g>"


def _sign(colour: str, x: float, y: float) -> Iterator[str]:
    if colour in SIGNS:
        name = "sign on-light" if colour in ON_LIGHT else "sign"
        yield _path(name, SIGNS[colour], x, y)


def _location(board: Board, label: Label, place: Point) -> Iterator[str]:
    index = label.location
    yield f'<g data-location="{escaped(board.locations[index].id)}">'
    yield f'<circle class="place" cx="{place.x}" cy="{place.y}" r="{RADIUS - 2}"/>'
    yield f'<circle class="core" cx="{place.x}" cy="{place.y}" r="3"/>'
    for line, box in label.line_boxes():
        yield (
            f'<text class="name" x="{box.left}" y="{box.bottom - LINE // 4}"'
            f' textLength="{box.right - box.left}" lengthAdjust="spacingAndGlyphs">'
            f"{escaped(line)}</text>"
        )
    yield "</g>"


def _legend(board: Board, frame: Box) -> Iterator[str]:
    left = frame.left + 28
    yield f'<text class="title" x="{left}" y="{frame.top + 40}">{escaped(board.name)}</text>'
    low, high = board.players
    players = f"{low}" if low == high else f"{low} to {high}"
    lengths = sorted({route.length for route in board.routes})
    points = ", ".join(str(board.route_points[length]) for length in lengths)
    spaces = ", ".join(map(str, lengths))
    y = frame.bottom - 48
    x = left
    for word in (*COLOUR_WORDS, "grey"):
        yield _rect(f"space {word}", x, y - ROW / 2, 30, ROW, 3)
        yield from _sign(word, x + 15, y)
        yield f'<text class="note" x="{x + 36}" y="{y + 4}">{word}</text>'
        x += 36 + text_width(word, 13) + 16
    yield _path("cart", CART, x + 12, y)
    yield f'<text class="note" x="{x + 28}" y="{y + 4}">goods card</text>'
    facts = (
        f"{players} players, {board.carts} carts each. Routes of {spaces} spaces score {points}."
    )
    yield f'<text class="note" x="{left}" y="{frame.bottom - 20}">{escaped(facts)}</text>'


def _rect(name: str, x: float, y: float, width: float, height: float, corner: int) -> str:
    return (
        f'<rect class="{name}" x="{decimal(x)}" y="{decimal(y)}" width="{decimal(width)}"'
        f' height="{decimal(height)}" rx="{corner}"/>'
    )


def _path(name: str, data: str, x: float, y: float) -> str:
    return f'<path class="{name}" transform="translate({decimal(x)} {decimal(y)})" d="{data}"/>'


def decimal(value: float) -> str:
    """Return the number with at most three decimals and no trailing zeros."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
