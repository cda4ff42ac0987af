"""PNG pictures of positions: plain boards for download, and link cards with names and scores.

The town of a board is drawn once, and so are each seat's carts on each route. A card then only adds
names and scores. Its 255 colours are those of a town with and without carts.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from PIL import Image

from damrak_engine.board import parse_board
from damrak_engine.drawing.labels import text_width
from damrak_engine.drawing.picture import escaped
from damrak_engine.replay import Replay
from damrak_engine.strictjson import canonical, read_json
from damrak_ladder.matches.models import Match
from damrak_ladder.web.replays import board_picture, palette
from damrak_ladder.web.replays.pixels import Piece, piece_of, pixels
from damrak_ladder.web.replays.sources import moments, names_of, replay_of
from damrak_ladder.web.replays.viewpoints import ALL
from damrak_ladder.web.replays.words import signed

WIDTH: Final = 1200
HEIGHT: Final = 630
_BOARD: Final = 800
_RIM: Final = 2  # rim of the paper, which continues beside the board
_LETTERS: Final = 24  # font size of names
_PAPER: Final = "#f6eedc"
_COLOURS: Final = 255
_EFFORT: Final = 3  # a higher level takes twice the time for a tenth of the bytes
_SEATS: Final = 4
_RANKING: Final = (_BOARD, 170, WIDTH - _BOARD, 90 * _SEATS)  # position and size

Line: TypeAlias = tuple[int, str, int]
"""The seat, its name and its points."""


class _Town:
    """A board without carts: the common base of all cards with this board."""

    def __init__(self, source: bytes) -> None:
        plan = board_picture.plan_of(parse_board(read_json(source)))
        width, height = plan.size
        width = round(width * min(_BOARD / width, HEIGHT / height))
        below, self._above = (pixels(svg, width) for svg in board_picture.layers(plan))
        self._at = (0, (HEIGHT - below.height) // 2)
        self._frame = (*self._at, below.width, self._at[1] + below.height)
        inside = below.crop((_RIM, _RIM, below.width - _RIM, below.height - _RIM))
        self._ground = pixels(_sheet(_titles(plan.board.name))).convert("RGB")
        self._ground.paste(inside, (self._at[0] + _RIM, self._at[1] + _RIM))
        self._pieces: Mapping[tuple[int, int], Piece] = {
            (route.id, seat): piece_of(plan, route.id, seat, below.size)
            for route in plan.board.routes
            for seat in range(board_picture.CLOSED if route.twin is not None else 0, _SEATS)
        }
        crowded = self._settled({route.id: route.id % _SEATS for route in plan.board.routes})
        both = Image.new("RGB", (WIDTH, 2 * HEIGHT))
        both.paste(self._settled({}))
        both.paste(crowded, (0, HEIGHT))
        self._palette = both.quantize(_COLOURS, dither=Image.Dither.NONE).getpalette() or []

    def card(self, owners: board_picture.Owners, ranking: Image.Image) -> bytes:
        """Return the card of a game with these routes claimed or closed."""
        drawn = self._settled(owners)
        drawn.paste(ranking, _RANKING[:2], ranking)
        return self._packed(drawn)

    def position(self, owners: board_picture.Owners) -> bytes:
        """Return only the board of such a game."""
        return self._packed(self._settled(owners).crop(self._frame))

    def _packed(self, drawn: Image.Image) -> bytes:
        colours = Image.new("P", (1, 1))
        colours.putpalette(self._palette)
        packed = io.BytesIO()
        drawn.quantize(palette=colours, dither=Image.Dither.NONE).save(
            packed, "PNG", compress_level=_EFFORT
        )
        return packed.getvalue()

    def _settled(self, owners: board_picture.Owners) -> Image.Image:
        drawn = self._ground.copy()
        left, top = self._at
        for claimed in owners.items():
            piece = self._pieces[claimed]
            drawn.paste(piece.pixels, (left + piece.at[0], top + piece.at[1]), piece.pixels)
        drawn.paste(self._above, self._at, self._above)
        return drawn


def card_of(match: Match) -> bytes:
    """Return the end of a recorded match as PNG."""
    replay = replay_of(match)
    found = moments(match, ALL)
    owners = board_picture.owners_at(found, len(found))
    return _card(canonical(replay.board.source), _frozen(owners), _lines(replay, names_of(match)))


def position_of(match: Match, at: int) -> bytes:
    """Return a moment of a recorded match as PNG."""
    board = canonical(replay_of(match).board.source)
    return _position(board, _frozen(board_picture.owners_at(moments(match, ALL), at)))


# These caches are in this process, not in the broker: requests for all matches would fill the
# broker's memory, and no message could pass any more.
@lru_cache(maxsize=64)
def _card(board: bytes, owners: tuple[tuple[int, int], ...], lines: tuple[Line, ...]) -> bytes:
    return _town(board).card(dict(owners), pixels(_ranking(lines)))


@lru_cache(maxsize=64)
def _position(board: bytes, owners: tuple[tuple[int, int], ...]) -> bytes:
    return _town(board).position(dict(owners))


@lru_cache(maxsize=4)  # about ten megabytes each
def _town(board: bytes) -> _Town:
    return _Town(board)


def _frozen(owners: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(owners.items()))


def _lines(replay: Replay, names: list[str]) -> tuple[Line, ...]:
    """Return the ranking, the best first."""
    came = replay.result.seats
    order = sorted(range(len(names)), key=lambda seat: came[seat].place)
    return tuple((seat, names[seat], came[seat].total) for seat in order)


def _ranking(lines: tuple[Line, ...]) -> str:
    _, _, width, height = _RANKING
    rows = []
    for number, (seat, name, points) in enumerate(lines):
        y = 40 + 84 * number
        room = 270 - text_width(signed(points), _LETTERS)
        rows.append(
            f'<g transform="translate(46 {y - 8}) scale(1.25)"><use href="#cart-{seat}"/></g>'
            f'<text class="row" x="86" y="{y}"{palette.fitted(name, _LETTERS, room)}'
            f'<text class="row" x="370" y="{y}" text-anchor="end">{signed(points)}</text>'
        )
    carts = board_picture.carts_defined(seat for seat, _, _ in lines)
    return _document(width, height, carts + "".join(rows))


def _titles(board: str) -> str:
    return (
        '<text class="head" x="830" y="110">Damrak</text>'
        f'<text class="note" x="830" y="590">{escaped(board[:40])}</text>'
    )


def _sheet(drawn: str) -> str:
    paper = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>'
    return _document(WIDTH, HEIGHT, paper + drawn)


def _document(width: int, height: int, drawn: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' class="damrak"><style>{palette.literal(False)}'
        f".damrak .row {{ font-size: {_LETTERS}px }}"
        " .damrak .head { font-size: 46px; font-style: italic }"
        f"</style>{drawn}</svg>"
    )
