"""The colours of boards and seats, as a style sheet for pages and one for stand-alone pictures.

Both have the same palette. Variables and media queries are not reliable in pictures that will be
rasterised, so their values are written out there.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from damrak_engine.drawing.labels import FONT_SIZE, text_width
from damrak_engine.drawing.picture import escaped
from damrak_engine.drawing.style import DARK, FONT, LIGHT, RULES, TITLE_SIZE

_SEATS_LIGHT: Final = (
    "--seat-0: #f4c430; --seat-1: #6a3d9a; --seat-2: #12807f; --seat-3: #fdf9f0;"
    " --pip-0: #2b1d12; --pip-1: #ffffff; --pip-2: #ffffff; --pip-3: #2b1d12;"
    " --wheel: #2b1d12; --wild: #fdf3d0; --glow: #b8321f"
)
_SEATS_DARK: Final = (
    "--seat-0: #f4c430; --seat-1: #9a6bd0; --seat-2: #2aa3a0; --seat-3: #f3ead6;"
    " --pip-0: #1c120a; --pip-1: #ffffff; --pip-2: #0b2020; --pip-3: #1c120a;"
    " --wheel: #0f0e0d; --wild: #e8dcae; --glow: #ffb49c"
)
_OF_BOARDS: Final = frozenset({"paper", "edge", "ink", "faint", "water", "quay", "bed", "place"})
_CARTS: Final = """
.damrak .water { opacity: 1 }
.damrak .carts { visibility: hidden }
.damrak .carts[data-seat] { visibility: visible }
.damrak .hold { fill: none; stroke: var(--wheel); stroke-width: 3.5 }
.damrak .carts[data-seat="-1"] .hold { fill: var(--paper); fill-opacity: .72; stroke: none }
.card-sign { fill: none; stroke: var(--light); stroke-width: 1.9; stroke-linecap: round;
  stroke-linejoin: round }
.card-sign--dark { stroke: var(--dark) }
.cart-wheel { fill: var(--wheel) }
.cart-box { stroke: var(--wheel); stroke-width: 1.8 }
"""
# Shapes drawn with `use` do not see the ancestors of the `use` element, so their rules have no
# ancestor selectors.
_SEAT: Final = """
.damrak [data-seat="N"] .hold { fill: var(--seat-N); fill-opacity: .55 }
.cart-box.cart-N { fill: var(--seat-N) } .cart-pip.cart-N { fill: var(--pip-N) }
"""


@cache
def sheet() -> str:
    """Return the style sheet for pages; it follows the theme of the page."""
    light, dark = f"{LIGHT}; {_SEATS_LIGHT}", f"{DARK}; {_SEATS_DARK}"
    parts = []
    for of_page, palette in (
        ("", light),
        (':root:not([data-theme="light"]) ', dark),
        (':root[data-theme="dark"] ', dark),
    ):
        rules = (
            f"{of_page}.damrak {{ {palette} }}\n{of_page}.damrak-colours {{ {_cards(palette)} }}\n"
        )
        is_by_device = "not" in of_page
        parts.append(
            f"@media (prefers-color-scheme: dark) {{\n{rules}}}\n" if is_by_device else rules
        )
    return "".join(parts) + _rules()


def _cards(palette: str) -> str:
    """Return the colours of cards and seats only: the site uses the names of the others, too."""
    return "; ".join(
        f"--{name}: {value}" for name, value in _values(palette).items() if name not in _OF_BOARDS
    )


def _values(palette: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]+)", palette))


@cache
def literal(is_dark: bool) -> str:
    """Return the style sheet for pictures, in one of the two palettes."""
    palette = f"{DARK}; {_SEATS_DARK}" if is_dark else f"{LIGHT}; {_SEATS_LIGHT}"
    values = _values(palette)
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda found: values[found[1]], _rules())


def fitted(name: str, size: int, room: float) -> str:
    """Return the rest of a text element's tag, with as much of the name as fits.

    The text has this width in any font.
    """
    shown = name
    while text_width(shown, size) > room and len(shown) > 1:
        shown = shown.removesuffix("\u2026")[:-1] + "\u2026"
    width = text_width(shown, size)
    return f' textLength="{width}" lengthAdjust="spacingAndGlyphs">{escaped(shown)}</text>'


def _rules() -> str:
    rules = RULES + _CARTS + "".join(_SEAT.replace("N", str(seat)) for seat in range(4))
    return (
        rules.replace("FONT", FONT)
        .replace("NAME", str(FONT_SIZE))
        .replace("TITLE", str(TITLE_SIZE))
    )
