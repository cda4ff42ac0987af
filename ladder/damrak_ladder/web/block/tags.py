"""Template tags for lists of blocks, and for boards."""

from __future__ import annotations

from functools import cache

from django import template
from django.utils.safestring import SafeString

from damrak_engine.boards import board_names, load_board
from damrak_ladder.web.block.lists import BlockListed
from damrak_ladder.web.site import fragments

register = template.Library()


@register.simple_tag
def games(row: BlockListed) -> SafeString:
    """Return links to the matches of a block."""
    return fragments.games(row.pk, [(match.pk, match.number) for match in row.matches])


@register.filter
def board_title(name: str) -> str:
    """Return the title of a board of the engine, or the name of another board."""
    return _titles().get(name, name)


@cache
def _titles() -> dict[str, str]:
    return {name: load_board(name).name for name in board_names()}
