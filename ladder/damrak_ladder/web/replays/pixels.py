"""Drawings as pixels, and the carts of one route among them: of these, films and cards consist."""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass
from functools import cache
from typing import Final

import resvg_py
from PIL import Image

from damrak_ladder.web.replays import sketch

_FAMILIES: Final = (
    *("Georgia", "Liberation Serif", "Times New Roman", "DejaVu Serif", "Noto Serif", "FreeSerif"),
    *("Nimbus Roman", "DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica"),
)
_PROBE: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
    '<text x="4" y="32" font-size="32" font-family="{}">M</text></svg>'
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Piece:
    """The carts on one route, and where they belong in the picture of the board."""

    pixels: Image.Image
    at: tuple[int, int]


def pixels(svg: str, width: int | None = None) -> Image.Image:
    """This drawing, as wide as it says itself if not told otherwise."""
    return _drawn(svg, width, family())


@cache
def family() -> str | None:
    """The font for drawings that name none of this machine's; None: it has none, and words lack.

    What draws them takes "serif" for one certain font, and where that is not there writes nothing.
    """
    for name in _FAMILIES:
        if _drawn(_PROBE.format(name), None, None).getbbox() is not None:
            return name
    _log.warning("no_font")
    return None


def _drawn(svg: str, width: int | None, serif: str | None) -> Image.Image:
    data = resvg_py.svg_to_bytes(svg_string=svg, width=width, serif_family=serif)
    drawn = Image.open(io.BytesIO(bytes(data)))
    drawn.load()
    return drawn


def piece_of(plan: sketch.Plan, route: int, seat: int, size: tuple[int, int]) -> Piece:
    """The carts of a seat on a route, for a picture of the board of this size."""
    svg, at = sketch.piece(plan, route, seat, size)
    return Piece(pixels(svg), at)
