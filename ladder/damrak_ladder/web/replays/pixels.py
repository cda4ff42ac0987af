"""Rasterised drawings, and the carts of single routes: the parts of films and cards."""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass
from functools import cache
from typing import Final

import resvg_py
from PIL import Image

from damrak_ladder.web.replays import board_picture

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
    """The carts on one route, and their position in the picture of the board."""

    pixels: Image.Image
    at: tuple[int, int]


def pixels(svg: str, width: int | None = None) -> Image.Image:
    """Return this drawing as pixels, with its own width unless another is given."""
    return _drawn(svg, width, family())


@cache
def family() -> str | None:
    """Return the fallback font for drawings that name no font of this machine.

    Return None if there is no such font; drawings then lack their text. The renderer maps "serif"
    to one particular font, and draws no text if that font is not installed.
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


def piece_of(plan: board_picture.Plan, route: int, seat: int, size: tuple[int, int]) -> Piece:
    """Return the carts of a seat on a route, for a picture of the board of this size."""
    svg, at = board_picture.piece(plan, route, seat, size)
    return Piece(pixels(svg), at)
