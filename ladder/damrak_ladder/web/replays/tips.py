"""Tooltips of the routes of a town, in the reader's language."""

from __future__ import annotations

import re
from typing import Final

from django.utils.translation import gettext as _, pgettext

from damrak_engine.board import Board, Route
from damrak_engine.drawing.picture import escaped
from damrak_ladder.web.replays.words import DASH

_TITLE: Final = re.compile(r'(<g data-route="(\d+)"><title>)[^<]*')


def with_tips(town: str, board: Board) -> str:
    """Return the same drawing with its English tooltips translated."""
    colours, goods = _colours(), _("goods card")

    def title(found: re.Match[str]) -> str:
        return found[1] + escaped(_said(board, board.routes[int(found[2])], colours, goods))

    return _TITLE.sub(title, town)


def _said(board: Board, route: Route, colours: dict[str, str], goods: str) -> str:
    ends = f"{board.locations[route.a].name} {DASH} {board.locations[route.b].name}"
    said = f"{ends} ({colours[route.colour_word]}, {route.length})"
    return f"{said}, {goods}" if route.goods else said


def _colours() -> dict[str, str]:
    return {
        "pink": pgettext("route", "pink"),
        "blue": pgettext("route", "blue"),
        "green": pgettext("route", "green"),
        "black": pgettext("route", "black"),
        "red": pgettext("route", "red"),
        "orange": pgettext("route", "orange"),
        "grey": pgettext("route", "grey"),
    }
