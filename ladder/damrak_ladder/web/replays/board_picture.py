"""The board as a picture, with carts on its routes: for pages, exports and link cards alike.

It builds on the engine's drawing. Each route has a group of carts, which is empty until the route
is claimed. A seat's carts have as many pips as its number, counted from one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor
from typing import Any, Final

from damrak_engine.board import Board, parse_board
from damrak_engine.drawing.geometry import Box
from damrak_engine.drawing.labels import Label, labels_of
from damrak_engine.drawing.picture import (
    MARGIN,
    bed_frame,
    decimal,
    escaped,
    first_row,
    frame_of,
    scene,
)
from damrak_engine.drawing.sheet import BETWEEN_ROWS, ROW, Sheet, sheet_of
from damrak_engine.drawing.style import ON_LIGHT, SIGNS
from damrak_engine.strictjson import canonical, read_json
from damrak_ladder.web.replays import palette

Owners = Mapping[int, int]
"""By route: the seat that owns it, or -1 if it is closed."""

CLOSED: Final = -1
_BETWEEN: Final = "<!-- carts -->"

_HEAD: Final = 42  # height of the frame above the town for a title, which is omitted here
_FOOT: Final = 58  # height of the frame below the town for a legend, omitted as well
_INSET: Final = MARGIN - 14
_ROUND: Final = 10  # maximum distance by which carts and their outlines exceed their route
_PIPS: Final = (
    ((0.0, 0.0),),
    ((-5.0, 0.0), (5.0, 0.0)),
    ((-9.0, 0.0), (0.0, 0.0), (9.0, 0.0)),
    ((-6.0, -3.4), (6.0, -3.4), (-6.0, 3.4), (6.0, 3.4)),
)
_WILD: Final = "M0 -6L1.8 -1.9L6 -1.9L2.6 .9L3.9 5.2L0 2.6L-3.9 5.2L-2.6 .9L-6 -1.9L-1.8 -1.9Z"


@dataclass(frozen=True, slots=True)
class Plan:
    """The layout of a board, and the part of the sheet that pictures show."""

    board: Board
    sheet: Sheet
    labels: tuple[Label, ...]
    frame: Box

    @property
    def size(self) -> tuple[int, int]:
        """Return the width and height in pixels."""
        return self.frame.right - self.frame.left, self.frame.bottom - self.frame.top


def plan_of(board: Board) -> Plan:
    """Return the cached plan of a board; laying one out takes longer than drawing it."""
    return _planned(canonical(board.source))


@lru_cache(maxsize=64)
def _planned(source: bytes) -> Plan:
    board = parse_board(read_json(source))
    sheet = sheet_of(board)
    labels = labels_of(board, sheet)
    wide = frame_of(sheet, labels, 0)
    frame = Box(
        wide.left + _INSET, wide.top + _INSET + _HEAD, wide.right - _INSET, wide.bottom - _FOOT
    )
    return Plan(board, sheet, labels, frame)


def town(board: Board, owners: Owners) -> str:
    """Return a position as inline SVG for a page with its colours (`palette.sheet`) and caption."""
    plan = plan_of(board)
    return "".join(
        (
            f'<svg class="damrak" role="img" aria-labelledby="board-says" {_view(plan)}>',
            *_definitions(),
            *scene(board, plan.sheet, plan.labels, (*_carts(plan, owners), '<g class="ways"></g>')),
            "</svg>",
        )
    )


def position(board: Board, owners: Owners, is_dark: bool = False) -> str:
    """Return a position as a stand-alone SVG document."""
    plan = plan_of(board)
    return "".join((_opening(plan, is_dark), *_drawn(plan, _carts(plan, owners)), "</svg>\n"))


def film(board: Board, course: Sequence[Owners], seconds: float, is_dark: bool = False) -> str:
    """Return a game as an animated SVG document: these positions at equal intervals, in a loop."""
    plan = plan_of(board)
    since = {
        route: (owner, i)
        for i in range(len(course) - 1, -1, -1)
        for route, owner in course[i].items()
    }
    # The last fifth of the time shows the end.
    when = {route: 0.8 * i / max(len(course), 1) for route, (_, i) in since.items()}
    owners = {route: owner for route, (owner, _) in since.items()}
    carts = _carts(plan, owners, when, seconds)
    return "".join((_opening(plan, is_dark), *_drawn(plan, carts), "</svg>\n"))


def layers(plan: Plan) -> tuple[str, str]:
    """Return everything below and everything above the carts, as SVG documents of the same size."""
    parts = list(scene(plan.board, plan.sheet, plan.labels, [_BETWEEN]))
    at = parts.index(_BETWEEN)
    under = (_opening(plan, False), *_definitions(), _paper(plan), *parts[:at], "</svg>\n")
    return "".join(under), "".join((_opening(plan, False), *parts[at + 1 :], "</svg>\n"))


def piece(plan: Plan, route: int, seat: int, size: tuple[int, int]) -> tuple[str, tuple[int, int]]:
    """Return only the carts on one route, as an SVG document hardly larger than they are.

    It fits, pixel by pixel, into a picture of the whole board of the given size, at the returned
    place.
    """
    _, transform, span, across = next(lane for lane in _lanes(plan) if lane[0] == route)
    wide, high = size[0] / plan.size[0], size[1] / plan.size[1]
    extent = _extent(transform, span, across)
    left = floor((extent.left - plan.frame.left) * wide)
    top = floor((extent.top - plan.frame.top) * high)
    width = ceil((extent.right - plan.frame.left) * wide) - left
    height = ceil((extent.bottom - plan.frame.top) * high) - top
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="damrak" width="{width}" height="{height}"'
        f' viewBox="{plan.frame.left + left / wide} {plan.frame.top + top / high}'
        f' {width / wide} {height / high}" preserveAspectRatio="none">'
        f"<style>{palette.literal(False)}</style>{carts_defined(() if seat == CLOSED else (seat,))}"
        f'<g class="carts" data-seat="{seat}" transform="{transform}">'
        f"{_row(plan.board.routes[route].length, span, across, seat)}</g></svg>"
    ), (left, top)


def _extent(transform: str, span: int, across: float) -> Box:
    """Return the part of the sheet that carts on this route occupy."""
    a, b, c, d, x, y = map(float, transform.removeprefix("matrix(").removesuffix(")").split())
    along, beside = span / 2 + _ROUND, ROW / 2 + _ROUND
    width, height = abs(a) * along + abs(c) * beside, abs(b) * along + abs(d) * beside
    x, y = x + c * across, y + d * across
    return Box(floor(x - width), floor(y - height), ceil(x + width), ceil(y + height))


def owners_at(moments: list[Any], at: int) -> dict[int, int]:
    """Return the owner of each claimed or closed route at that moment."""
    owners: dict[int, int] = {}
    for _, changes in moments[: at + 1]:
        for name, seat in changes.items():
            if name[0] == "r" and name[1:].isdecimal():
                owners[int(name[1:])] = seat
    return owners


def _view(plan: Plan) -> str:
    width, height = plan.size
    return f'viewBox="{plan.frame.left} {plan.frame.top} {width} {height}"'


def _opening(plan: Plan, is_dark: bool) -> str:
    width, height = plan.size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="damrak" role="img" {_view(plan)}'
        f' width="{width}" height="{height}"><title>{escaped(plan.board.name)}</title>'
        f"<style>{palette.literal(is_dark)}</style>"
    )


def _drawn(plan: Plan, carts: Iterator[str]) -> Iterator[str]:
    yield from _definitions()
    yield _paper(plan)
    yield from scene(plan.board, plan.sheet, plan.labels, carts)


def _paper(plan: Plan) -> str:
    width, height = plan.size
    return (
        f'<rect class="paper" x="{plan.frame.left}" y="{plan.frame.top}"'
        f' width="{width}" height="{height}"/>'
    )


def carts_defined(seats: Iterable[int]) -> str:
    """Return the definitions of `#cart-0` and so on for these seats."""
    return f"<defs>{''.join(_cart_definitions(seats))}</defs>"


def _definitions() -> Iterator[str]:
    """Yield the definitions of repeated shapes: the signs of cards, and the carts of each seat."""
    yield "<defs>"
    for word, path in {**SIGNS, "wild": _WILD}.items():
        light = " card-sign--dark" if word in (*ON_LIGHT, "wild") else ""
        yield f'<path id="sign-{word}" class="card-sign{light}" d="{path}"/>'
    yield from _cart_definitions(range(len(_PIPS)))
    yield "</defs>"


def _cart_definitions(seats: Iterable[int]) -> Iterator[str]:
    for seat in seats:
        yield f'<g id="cart-{seat}">'
        for left in (-13, 6):
            yield f'<rect class="cart-wheel" x="{left}" y="-12" width="7" height="24" rx="2.5"/>'
        yield f'<rect class="cart-box cart-{seat}" x="-19" y="-9.5" width="38" height="19" rx="4"/>'
        for x, y in _PIPS[seat]:
            middle = f'cx="{decimal(x)}" cy="{decimal(y)}"'
            yield f'<circle class="cart-pip cart-{seat}" {middle} r="2.8"/>'
        yield "</g>"


def _lanes(plan: Plan) -> Iterator[tuple[int, str, int, float]]:
    """Yield each route with the transform and length of its bed, and its offset across the bed."""
    for bed in plan.sheet.beds:
        transform, span = bed_frame(bed)
        across = first_row(bed)
        for number in bed.routes:
            yield number, transform, span, across
            across += ROW + BETWEEN_ROWS


def _carts(
    plan: Plan, owners: Owners, when: Mapping[int, float] | None = None, seconds: float = 0
) -> Iterator[str]:
    for number, transform, span, across in _lanes(plan):
        owner = owners.get(number)
        state = f' data-seat="{owner}"' if owner is not None else ""
        length = plan.board.routes[number].length
        # Scripts that add carts need their positions.
        yield (
            f'<g class="carts" data-carts="{number}"{state} transform="{transform}"'
            f' data-row="{length} {span} {decimal(across)} {ROW + 2}">'
        )
        if owner is not None:
            if when is not None:
                yield _appearing(when[number], seconds)
            yield _row(length, span, across, owner)
        yield "</g>"


def _row(length: int, span: int, across: float, owner: int) -> str:
    """Return the contents of a claimed or closed route; `board.js` draws the same."""
    hold = (
        f'<rect class="hold" x="{decimal(-span / 2)}" y="{decimal(across - ROW / 2 - 1)}"'
        f' width="{span}" height="{ROW + 2}" rx="5"/>'
    )
    if owner == CLOSED:
        return hold
    places = (span / length * (i + 0.5) - span / 2 for i in range(length))
    return hold + "".join(
        f'<use x="{decimal(x)}" y="{decimal(across)}" href="#cart-{owner}"/>' for x in places
    )


def _appearing(when: float, seconds: float) -> str:
    begins = decimal(max(when, 0.001))
    return (
        '<animate attributeName="visibility" values="hidden;visible"'
        f' calcMode="discrete" keyTimes="0;{begins}" dur="{decimal(seconds)}s"'
        ' repeatCount="indefinite"/>'
    )
