"""Drawn examples of the rules: pictures without words, so that they serve every language.

`python -m damrak_ladder.web.guides.figures FOLDER` writes them; docs/images/rules has the result.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from damrak_engine.drawing.style import CART, FONT, ON_LIGHT, SIGNS, STYLE

_MORE_STYLE: Final = """
.damrak .card { stroke: var(--rim); stroke-width: 1.6 }
.damrak .wild { fill: var(--place) }
.damrak .back { fill: var(--quay) }
.damrak .yes { fill: none; stroke: #2f7d3b; stroke-width: 5; stroke-linecap: round }
.damrak .no { fill: none; stroke: #c8402f; stroke-width: 5; stroke-linecap: round }
.damrak .arrow { fill: none; stroke: var(--ink); stroke-width: 2.5; stroke-linecap: round;
  stroke-linejoin: round }
.damrak .ours { fill: #f4c430 } .damrak .theirs { fill: #6a3d9a }
.damrak .cart.theirs { stroke: #ffffff }
.damrak .bar { fill: var(--water); stroke: var(--rim) }
.damrak .figure { font-size: 19px; font-weight: 600 }
.damrak .middle { text-anchor: middle }
.damrak .faint { opacity: .35 }
"""

CARD_WIDTH: Final = 30
CARD_HEIGHT: Final = 44
SPACE_WIDTH: Final = 44
SPACE_HEIGHT: Final = 24
_STAR: Final = "M0 -8L2.3 -2.8L8 -2.4L3.6 1.3L5 7L0 3.9L-5 7L-3.6 1.3L-8 -2.4L-2.3 -2.8Z"


def claim() -> str:
    """Draw payments for a green route of four spaces and for a grey one of three."""
    parts = [*_route("green", 4, 40, 40), *_route("grey", 3, 360, 40)]
    cards: tuple[str, ...]
    for row, (cards, is_good) in enumerate(
        (
            (("green", "green", "green", "green"), True),
            (("green", "green", "wild", "wild"), True),
            (("wild", "wild", "wild", "wild"), True),
            (("green", "green", "green", "blue"), False),
        )
    ):
        parts += _payment(cards, is_good, 48, 92 + 58 * row)
    for row, (cards, is_good) in enumerate(
        (
            (("blue", "blue", "blue"), True),
            (("pink", "pink", "wild"), True),
            (("wild", "wild", "wild"), True),
            (("blue", "blue", "red"), False),
        )
    ):
        parts += _payment(cards, is_good, 368, 92 + 58 * row)
    return _picture(600, 330, parts)


def row() -> str:
    """Draw a wild replacing a card of the row: with three wilds of five, the row is renewed."""
    before = ("pink", "wild", "black", "wild", "green")
    between = ("pink", "wild", "wild", "wild", "green")
    after = ("orange", "blue", "wild", "red", "black")
    parts = [*_cards(before, 150, 20), *_arrow(246, 68, 246, 92), *_cards(between, 150, 98)]
    parts += [*_card("black", 470, 20), *_arrow(340, 42, 460, 42)]
    parts += [*_back(60, 98), *_arrow(98, 120, 142, 120)]
    parts += _cross(372, 120)
    parts += [*_arrow(246, 146, 246, 170), *_cards(after, 150, 176)]
    parts += [*_back(60, 176), *_arrow(98, 198, 142, 198), *_tick(372, 198)]
    return _picture(540, 240, parts)


def double() -> str:
    """Draw a double route: with two players the other one closes, with more it stays open."""
    parts: list[str] = []
    for left, people in ((30, 2), (370, 4)):
        for number in range(people):
            parts += _person(left + 116 + 24 * number - 12 * (people - 1), 30)
        parts += [*_twin(left, 78, "pink", "ours"), *_twin(left, 110, "blue", "")]
        parts += [*_place(left - 6, 94), *_place(left + 206, 94)]
        mark = _cross if people == 2 else _tick
        parts += mark(left + 116, 166)
        parts += _cart(left + 116 - 34, 168, "theirs")
    return _picture(640, 200, parts)


def contract() -> str:
    """Draw a contract fulfilled by a chain of own routes, and one broken by a rival's route."""
    parts: list[str] = []
    for top, middle in ((50, "ours"), (150, "theirs")):
        x = 40
        for owner, length in (("ours", 2), (middle, 3), ("ours", 1)):
            parts += _owned(x, top, length, owner)
            x += length * SPACE_WIDTH + 36
        for place in (40, 40 + 124, 40 + 124 + 168, 40 + 124 + 168 + 80):
            is_end = place in (40, 412)
            parts += _place(place - 16, top, is_end)
        parts += (_tick if middle == "ours" else _cross)(480, top)
        parts += [_text("+10" if middle == "ours" else "\N{MINUS SIGN}10", 540, top + 7)]
    return _picture(600, 200, parts)


def goods() -> str:
    """Draw four players with 5, 3, 3 and 1 goods cards, who gain 8, 6, 6 and 2 points."""
    parts: list[str] = []
    for number, (cards, points) in enumerate(((5, 8), (3, 6), (3, 6), (1, 2))):
        x = 70 + 130 * number
        for card in range(cards):
            y = 172 - 28 * card
            parts += [
                f'<rect class="card wild" x="{x - 30}" y="{y}" width="60" height="24" rx="4"/>'
            ]
            parts += [_path("cart", CART, x, y + 12)]
        parts += [_text(f"+{points}", x, 232)]
        parts += [f'<path class="arrow" d="M{x - 40} 204H{x + 40}"/>']
    return _picture(530, 252, parts)


def scoring() -> str:
    """Draw a final score of route points, contracts and goods: 31 + 10 + 7 - 5 + 6 = 49."""
    parts: list[str] = []
    for number, (kind, points) in enumerate(
        (("route", "31"), ("yes", "+10"), ("yes", "+7"), ("no", "\N{MINUS SIGN}5"), ("goods", "+6"))
    ):
        x = 70 + 100 * number
        if kind == "route":
            parts += _owned(x - 62, 60, 2, "ours")
        elif kind == "goods":
            parts += [
                f'<rect class="card wild" x="{x - 30}" y="48" width="60" height="24" rx="4"/>'
            ]
            parts += [_path("cart", CART, x, 60)]
        else:
            parts += [
                f'<rect class="card wild" x="{x - 36}" y="38" width="72" height="44" rx="5"/>'
            ]
            parts += [f'<path class="arrow" d="M{x - 20} 66L{x + 20} 52"/>']
            parts += [f'<circle class="place" cx="{x - 20}" cy="66" r="4"/>']
            parts += [f'<circle class="place" cx="{x + 20}" cy="52" r="4"/>']
            parts += (_tick if kind == "yes" else _cross)(x + 30, 86)
        parts += [_text(points, x, 128)]
    parts += ['<path class="arrow" d="M20 146H600"/>', _text("= 49", 560, 128)]
    return _picture(610, 170, parts)


FIGURES: Final[dict[str, Callable[[], str]]] = {
    "claim": claim,
    "contract": contract,
    "double": double,
    "goods": goods,
    "row": row,
    "scoring": scoring,
}


def _picture(width: int, height: int, parts: list[str]) -> str:
    style = STYLE.replace("FONT", FONT).replace("NAME", "15").replace("TITLE", "24")
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="damrak" role="img" width="{width}"'
            f' height="{height}" viewBox="0 0 {width} {height}">',
            f"<style>\n{style.strip()}{_MORE_STYLE}</style>",
            f'<rect class="paper" x="1" y="1" width="{width - 2}" height="{height - 2}" rx="12"/>',
            *parts,
            "</svg>\n",
        )
    )


def _route(colour: str, length: int, left: int, middle: int) -> Iterator[str]:
    yield from _beds(left, middle, length)
    for number in range(length):
        x = left + SPACE_WIDTH * number
        yield _space(colour, x, middle)
        yield from _sign(colour, x + SPACE_WIDTH / 2, middle)


def _owned(left: int, middle: int, length: int, owner: str) -> Iterator[str]:
    yield from _beds(left + 18, middle, length)
    for number in range(length):
        x = left + 18 + SPACE_WIDTH * number
        yield _space("grey", x, middle)
        yield from _cart(x + SPACE_WIDTH // 2, middle, owner)


def _twin(left: int, middle: int, colour: str, owner: str) -> Iterator[str]:
    start = left + 28
    yield from _beds(start, middle, 4)
    for number in range(4):
        x = start + SPACE_WIDTH * number
        yield _space(colour, x, middle)
        if owner:
            yield from _cart(x + SPACE_WIDTH // 2, middle, owner)
        else:
            yield from _sign(colour, x + SPACE_WIDTH / 2, middle)


def _beds(left: int, middle: int, length: int) -> Iterator[str]:
    yield (
        f'<rect class="bed" x="{left - 5}" y="{middle - 17}"'
        f' width="{SPACE_WIDTH * length + 10}" height="34" rx="6"/>'
    )


def _space(colour: str, x: int, middle: int) -> str:
    return (
        f'<rect class="space {colour}" x="{x + 2}" y="{middle - SPACE_HEIGHT // 2}"'
        f' width="{SPACE_WIDTH - 4}" height="{SPACE_HEIGHT}" rx="3"/>'
    )


def _cart(x: int, y: int, owner: str) -> Iterator[str]:
    yield f'<circle class="{owner}" cx="{x}" cy="{y}" r="13" stroke="#2b1d12"/>'
    yield _path(f"cart {owner}", CART, x, y)


def _place(x: int, y: int, is_end: bool = True) -> Iterator[str]:
    yield f'<circle class="place" cx="{x + 16}" cy="{y}" r="{14 if is_end else 9}"/>'
    if is_end:
        yield f'<circle class="core" cx="{x + 16}" cy="{y}" r="6"/>'


def _person(x: int, y: int) -> Iterator[str]:
    yield f'<circle class="core" cx="{x}" cy="{y - 6}" r="5.5"/>'
    yield f'<path class="core" d="M{x - 9} {y + 13}q0 -12 9 -12t9 12Z"/>'


def _cards(kinds: tuple[str, ...], left: int, top: int) -> Iterator[str]:
    for number, kind in enumerate(kinds):
        yield from _card(kind, left + (CARD_WIDTH + 8) * number, top)


def _card(kind: str, x: int, y: int) -> Iterator[str]:
    yield (
        f'<rect class="card {kind}" x="{x}" y="{y}" width="{CARD_WIDTH}"'
        f' height="{CARD_HEIGHT}" rx="4"/>'
    )
    middle = x + CARD_WIDTH / 2, y + CARD_HEIGHT / 2
    if kind == "wild":
        yield _path("orange", _STAR, *middle)
    else:
        yield from _sign(kind, *middle)


def _back(x: int, y: int) -> Iterator[str]:
    for shift in (6, 3, 0):
        yield (
            f'<rect class="card back" x="{x - shift}" y="{y - shift}" width="{CARD_WIDTH}"'
            f' height="{CARD_HEIGHT}" rx="4"/>'
        )


def _payment(kinds: tuple[str, ...], is_good: bool, left: int, top: int) -> Iterator[str]:
    yield from _cards(kinds, left, top)
    end = left + (CARD_WIDTH + 8) * len(kinds)
    yield from (_tick if is_good else _cross)(end + 22, top + CARD_HEIGHT // 2)


def _sign(colour: str, x: float, y: float) -> Iterator[str]:
    if colour in SIGNS:
        yield _path("sign on-light" if colour in ON_LIGHT else "sign", SIGNS[colour], x, y)


def _tick(x: int, y: int) -> Iterator[str]:
    yield f'<path class="yes" d="M{x - 10} {y}l7 8l13 -16"/>'


def _cross(x: int, y: int) -> Iterator[str]:
    yield f'<path class="no" d="M{x - 8} {y - 8}l16 16m0 -16l-16 16"/>'


def _arrow(x1: int, y1: int, x2: int, y2: int) -> Iterator[str]:
    head = "l-8 -5m8 5l-8 5" if y1 == y2 else "l-5 -8m5 8l5 -8"
    yield f'<path class="arrow" d="M{x1} {y1}L{x2} {y2}{head}"/>'


def _text(text: str, x: int, y: int) -> str:
    return f'<text class="figure middle" x="{x}" y="{y}">{text}</text>'


def _path(name: str, data: str, x: float, y: float) -> str:
    return f'<path class="{name}" transform="translate({x:g} {y:g})" d="{data}"/>'


if __name__ == "__main__":
    for name, figure in FIGURES.items():
        (Path(sys.argv[1]) / f"{name}.svg").write_text(figure(), "utf-8")
