"""Template tags for lists of blocks, and for boards."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from typing import Final

from django import template
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from damrak_engine.boards import board_names, load_board
from damrak_ladder.web.block.lists import BlockListed
from damrak_ladder.web.site import fragments

register = template.Library()

_DAILY: Final = re.compile(r"daily-(\d{4}-\d\d-\d\d)-\d+")


@register.simple_tag
def games(row: BlockListed) -> SafeString:
    """Return links to the matches of a block."""
    return fragments.games(row.pk, [(match.pk, match.number) for match in row.matches])


@register.filter
def board_title(name: str) -> str:
    """Return the title of a board of the engine or of a day, or else the name of the board."""
    if found := _DAILY.fullmatch(name):
        day = date.fromisoformat(found[1])
        return gettext("board of the day, %(date)s") % {"date": date_format(day, "DATE_FORMAT")}
    return _titles().get(name, name)


@cache
def _titles() -> dict[str, str]:
    return {name: load_board(name).name for name in board_names()}
