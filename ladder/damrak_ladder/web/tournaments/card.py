"""The link card of a tournament: its name, its phase and its first entrants, as PNG."""

from __future__ import annotations

import io
from typing import Final

from damrak_engine.drawing.picture import escaped
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.documents import leaders_json, summary_json
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.web.replays.pixels import pixels
from damrak_ladder.web.site.tags import bot_name
from damrak_ladder.web.tournaments import texts

WIDTH: Final = 1200
HEIGHT: Final = 630
_LEADERS: Final = 5
_STYLE: Final = (
    "text { font-family: serif; fill: #2b2621 } .name { font-size: 64px; font-weight: 700 }"
    " .note { font-size: 30px; fill: #6b6155 } .row { font-size: 36px }"
)


def card_of(tournament: Tournament) -> bytes:
    """Return the card with what everyone may know, in English."""
    packed = io.BytesIO()
    pixels(drawing_of(tournament)).convert("RGB").quantize(32).save(packed, "PNG")
    return packed.getvalue()


def drawing_of(tournament: Tournament) -> str:
    """Return the card as SVG."""
    seen = disclosed(tournament, None)
    said = summary_json(tournament, seen)
    formats = ", ".join(str(texts.FORMATS.get(one, one)) for one in said["formats"])
    phase = str(texts.PHASES[said["phase"]][0])
    drawn = [
        _text("note", 70, 90, "Damrak"),
        _text("name", 70, 175, _short(said["name"], 32)),
        _text("note", 70, 235, f"{formats} · {said['entrants']} entrants · {phase}"),
    ]
    for at, row in enumerate(leaders_json(tournament, seen, _LEADERS)):
        y = 320 + 60 * at
        drawn.append(_text("row", 70, y, f"{row['place'] or ''}."))
        drawn.append(_text("row", 130, y, _short(bot_name(row["bot"], row["name"]), 44)))
    paper = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f6eedc"/>'
    edge = f'<rect width="18" height="{HEIGHT}" fill="#1f5f7a"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f"<style>{_STYLE}</style>{paper}{edge}{''.join(drawn)}</svg>"
    )


def _text(kind: str, x: int, y: int, text: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{escaped(text)}</text>'


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
