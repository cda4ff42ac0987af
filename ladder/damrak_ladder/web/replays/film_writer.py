"""Render a game as an animated GIF: a program that reads a script and writes the picture.

    python -m damrak_ladder.web.replays.film_writer <script.json >film.gif

Drawing takes a second or two, so it runs in a separate process, at low priority and without Django.
The format is GIF because chats, forums and mail programs all show it; a drawing in few colours that
changes little from frame to frame is also smaller as GIF than as animated WebP or PNG.
"""

from __future__ import annotations

import io
import json
import os
import resource
import sys
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from PIL import Image

from damrak_engine.board import parse_board
from damrak_engine.drawing.labels import text_width
from damrak_ladder.web.replays import board_picture, palette
from damrak_ladder.web.replays.pixels import Piece, piece_of, pixels

WIDTH: Final = 640
BAR: Final = 40  # height of the scores below the board
RIM: Final = 2  # outline of the latest claim
CLAIM_MS: Final = 600
END_MS: Final = 5000
MOST_CLAIMS: Final = 160
NICENESS: Final = 10
SECONDS: Final = 60  # limit of processor time, after which the process is ended
_LETTERS: Final = 15  # font size of names
_GLOW: Final = (184, 50, 31)
_SOLID: Final = 40

Script: TypeAlias = dict[str, Any]
"""`board`, `names`, `claims` (route, seat and all scores after it) and the scores at the `end`."""


def film(script: Script) -> bytes:
    """Return the GIF of a game: the empty town, one frame per claim, and the end."""
    board = parse_board(script["board"])
    claims = script["claims"][:MOST_CLAIMS]
    scores = [[0] * len(script["names"]), *(claim[2] for claim in claims), script["end"]]
    plan = board_picture.plan_of(board)
    under, over = (pixels(svg, WIDTH) for svg in board_picture.layers(plan))
    pieces = [piece_of(plan, route, seat, under.size) for route, seat, _ in claims]
    bars = pixels(_bars(script["names"], scores)).convert("RGB")
    drawn = list(_frames(under.convert("RGB"), over, bars, pieces, only_last=True))
    palette = drawn[0].quantize(255, dither=Image.Dither.NONE)
    frames = (
        frame.quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in _frames(under.convert("RGB"), over, bars, pieces)
    )
    written = io.BytesIO()
    next(frames).save(
        written,
        "GIF",
        save_all=True,
        append_images=frames,
        duration=[CLAIM_MS] * (len(scores) - 1) + [END_MS],
        loop=0,
        optimize=True,  # makes unchanged pixels transparent
    )
    return written.getvalue()


def _frames(
    town: Image.Image,
    over: Image.Image,
    bars: Image.Image,
    pieces: list[Piece],
    only_last: bool = False,
) -> Iterator[Image.Image]:
    """Yield the empty town, a frame per claim with that claim highlighted, and the end.

    With `only_last`, yield just the end, with the last claim highlighted so that the palette has
    its colour.
    """
    width, height = town.size
    for number in range(len(pieces) + 2):
        piece = pieces[number - 1] if 0 < number <= len(pieces) else None
        if piece:
            town.paste(piece.pixels, piece.at, piece.pixels)
        if only_last and number <= len(pieces):
            continue
        frame = Image.new("RGB", (width, height + BAR))
        frame.paste(town)
        if piece or (only_last and pieces):
            _light_up(frame, piece or pieces[-1])
        frame.paste(over, mask=over)
        frame.paste(bars.crop((0, number * BAR, width, (number + 1) * BAR)), (0, height))
        yield frame


def _light_up(frame: Image.Image, piece: Piece) -> None:
    """Draw an outline around these carts."""
    x, y = piece.at
    shape = piece.pixels.getchannel("A").point(lambda alpha: 255 if alpha > _SOLID else 0)
    for right in (-RIM, 0, RIM):
        for down in (-RIM, 0, RIM):
            frame.paste(_GLOW, (x + right, y + down), shape)
    frame.paste(piece.pixels, piece.at, piece.pixels)


def _bars(names: list[str], scores: list[list[int]]) -> str:
    """Return all score bars in one drawing, one below the other; that is cheaper than singly."""
    cell = WIDTH / len(names)
    rows = []
    for number, row in enumerate(scores):
        middle = number * BAR + BAR / 2
        best = max(row) if number == len(scores) - 1 else None
        for seat, (name, score) in enumerate(zip(names, row, strict=True)):
            left = seat * cell + 10
            told = f"\u2212{-score}" if score < 0 else str(score)
            room = cell - 72 - text_width(told, _LETTERS)
            weight = " best" if score == best else ""
            rows.append(
                f'<g transform="translate({left + 15:.0f} {middle:.0f}) scale(.75)">'
                f'<use href="#cart-{seat}"/></g>'
                f'<text class="bar{weight}" x="{left + 36:.0f}" y="{middle + 5:.0f}"'
                f"{palette.fitted(name, _LETTERS, room)}"
                f'<text class="bar best" x="{left + cell - 30:.0f}" y="{middle + 5:.0f}"'
                f' text-anchor="end">{told}</text>'
            )
    height = len(scores) * BAR
    carts = board_picture.carts_defined(range(len(names)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"'
        f' class="damrak"><style>{palette.literal(False)}.damrak .bar {{ font-size: {_LETTERS}px }}'
        f" .damrak .best {{ font-weight: bold }}</style>{carts}"
        f'<rect width="{WIDTH}" height="{height}" fill="#fffcf5"/>{"".join(rows)}</svg>'
    )


def main() -> None:
    """Read a script and write a film, at low priority and with a limit of processor time."""
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    sys.stdout.buffer.write(film(json.load(sys.stdin)))


if __name__ == "__main__":
    main()
