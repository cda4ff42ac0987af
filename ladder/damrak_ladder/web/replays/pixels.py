"""Drawings as pixels, and the carts of one route among them: of these, films and cards consist."""

from __future__ import annotations

import io
from dataclasses import dataclass

import resvg_py
from PIL import Image

from damrak_ladder.web.replays import sketch


@dataclass(frozen=True, slots=True)
class Piece:
    """The carts on one route, and where they belong in the picture of the board."""

    pixels: Image.Image
    at: tuple[int, int]


def pixels(svg: str, width: int | None = None) -> Image.Image:
    """This drawing, as wide as it says itself if not told otherwise."""
    drawn = Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width))))
    drawn.load()
    return drawn


def piece_of(plan: sketch.Plan, route: int, seat: int, size: tuple[int, int]) -> Piece:
    """The carts of a seat on a route, for a picture of the board of this size."""
    svg, at = sketch.piece(plan, route, seat, size)
    return Piece(pixels(svg), at)
