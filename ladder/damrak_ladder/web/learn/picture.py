"""Positions with the carts that moves to choose from would add, for the course and puzzles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.safestring import SafeString, mark_safe

from damrak_engine.board import Board
from damrak_ladder.web.replays.board_picture import town
from damrak_ladder.web.replays.tips import with_tips

_CAPTION: Final = 'aria-labelledby="board-says"'
_DEFINITIONS: Final = re.compile(r"<defs>.*?</defs>", re.DOTALL)
_CARTS: Final = re.compile(r'(<g class="carts" data-carts="(\d+)")')


def picture(
    board: Board,
    owners: Mapping[int, int],
    tried: Mapping[int, Sequence[int]],
    seat: int,
    caption: str,
    *,
    is_first: bool = True,
) -> SafeString:
    """Return the position as inline SVG.

    `tried` has the choices that claim a route for this seat; their carts are hidden by the style
    sheet until the choice is tried. Only the first picture of a page has the shapes to which all
    of them refer.
    """
    drawn = town(board, {**dict.fromkeys(tried, seat), **owners})

    def marked(found: re.Match[str]) -> str:
        choices = tried.get(int(found[2]), ())
        return found[1] + (f' data-then="{" ".join(map(str, choices))}"' if choices else "")

    drawn = _CARTS.sub(marked, drawn).replace(_CAPTION, f'aria-labelledby="{caption}"', 1)
    drawn = drawn if is_first else _DEFINITIONS.sub("", drawn, count=1)
    return mark_safe(with_tips(drawn, board))  # noqa: S308 - drawn by us
