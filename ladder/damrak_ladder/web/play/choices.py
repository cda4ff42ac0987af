"""The form for a new game: boards, opponents, people and paces."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.http import QueryDict
from django.utils.translation import gettext as _

from damrak_engine.boards import board_names, load_board
from damrak_ladder.play.errors import BadChoice
from damrak_ladder.play.opponents import house_opponents, open_opponents, versions_of
from damrak_ladder.play.paces import PACES
from damrak_ladder.play.tables import Wish
from damrak_ladder.web.site.tags import bot_name

CHAIRS: Final = ("second", "third", "fourth")
"""The fields of the form for the other seats."""

PERSON: Final = "person"


def wish_of(said: Mapping[str, Any], now: datetime) -> Wish:
    """Return what the form asks for.

    Raises:
        BadChoice: something that does not exist.
        BotAway: a remote bot that is not connected.
    """
    chosen = [str(said.get(name, "")) for name in CHAIRS]
    taken = [value for value in chosen if value]
    board = str(said.get("board", ""))
    if board not in board_names():
        raise BadChoice(board)
    bots = versions_of([value for value in taken if value != PERSON], now)
    people = 1 + taken.count(PERSON)
    return Wish(tuple(bots), people, board, str(said.get("pace", "")))


def context(said: QueryDict, now: datetime) -> dict[str, Any]:
    """Return the choices, with those made before selected."""
    opponents = [(one.value, bot_name(one.slug, one.name)) for one in house_opponents()]
    others = [(one.value, bot_name(one.slug, one.name)) for one in open_opponents(now)]
    return {
        "house": opponents,
        "others": others,
        "chairs": [
            {
                "name": name,
                "label": label,
                "chosen": said.get(name, opponents[0][0] if name == CHAIRS[0] else ""),
                "is_needed": name == CHAIRS[0],
            }
            for name, label in zip(
                CHAIRS, (_("Opponent"), _("Third seat"), _("Fourth seat")), strict=True
            )
        ],
        "boards": [(name, load_board(name).name) for name in board_names()],
        "board": said.get("board", board_names()[0]),
        "paces": [(name, _described(name)) for name in PACES],
        "pace": said.get("pace", next(iter(PACES))),
    }


def _described(pace: str) -> str:
    control = PACES[pace]
    names = {"calm": _("calm"), "brisk": _("brisk"), "blitz": _("blitz")}
    return _("%(name)s: %(minutes)s min, and %(seconds)s s per move") % {
        "name": names[pace],
        "minutes": control["bank_ms"] // 60_000,
        "seconds": control["increment_ms"] // 1000,
    }
