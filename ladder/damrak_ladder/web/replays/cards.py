"""Link cards: the drawn position that other sites show beside a link, as PNG."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import resvg_py

from damrak_engine.drawing.picture import escaped
from damrak_ladder.matches.models import Match
from damrak_ladder.web.replays import paint, sketch
from damrak_ladder.web.replays.eyes import ALL
from damrak_ladder.web.replays.sources import moments, names_of, replay_of

WIDTH: Final = 1200
HEIGHT: Final = 630
_BOARD: Final = 800
_NAME: Final = 22  # letters of a bot's name


def card_of(match: Match) -> bytes:
    """The end of a recorded match in pixels."""
    return _pixels(_drawing(match))


# It takes a while. The broker's memory is no place for them: whoever asked for all matches would
# fill it, and then no message would pass.
@lru_cache(maxsize=64)
def _pixels(svg: str) -> bytes:
    return bytes(resvg_py.svg_to_bytes(svg_string=svg))


def _drawing(match: Match) -> str:
    replay = replay_of(match)
    found = moments(match, ALL)
    board = sketch.position(replay.board, sketch.owners_at(found, len(found)))
    width, height = sketch.plan_of(replay.board).size
    scale = min(_BOARD / width, HEIGHT / height)
    inner = board.replace(
        f' width="{width}" height="{height}">',
        f' x="0" y="{(HEIGHT - height * scale) / 2:.0f}" width="{width * scale:.0f}"'
        f' height="{height * scale:.0f}">',
        1,
    )
    order = sorted(range(len(replay.seats)), key=lambda seat: replay.result.seats[seat].place)
    names = names_of(match)
    rows = []
    for line, seat in enumerate(order):
        y = 210 + 84 * line
        name = names[seat] if len(names[seat]) <= _NAME else names[seat][: _NAME - 1] + "…"
        rows.append(
            f'<g transform="translate(846 {y - 8}) scale(1.25)"><use href="#cart-{seat}"/></g>'
            f'<text class="row" x="886" y="{y}">{escaped(name)}</text>'
            f'<text class="row" x="1170" y="{y}" text-anchor="end">'
            f"{replay.result.seats[seat].total}</text>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
        f' viewBox="0 0 {WIDTH} {HEIGHT}" class="damrak"><style>{paint.literal(False)}'
        ".damrak .row { font-size: 24px } .damrak .head { font-size: 46px; font-style: italic }"
        "</style>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f6eedc"/>{inner}'
        f'<text class="head" x="830" y="110">Damrak</text>{"".join(rows)}'
        f'<text class="note" x="830" y="590">{escaped(replay.board.name[:40])}</text></svg>'
    )
