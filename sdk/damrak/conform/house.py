"""Simple and fast policies for the other seats at the client's table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from damrak_engine.actions import BLIND, KEEP_FIRST, OFFER, PASS, TAKE, ClaimRoute
from damrak_engine.effects import Ask

Policy = Callable[[Ask], int]

_DRAWS: Final = (KEEP_FIRST, *range(TAKE, OFFER), BLIND)


def builder(ask: Ask) -> int:
    """Claim the longest possible route, else draw, which makes games short."""
    space = ask.observation.rules.space
    routes = space.board.routes

    def worth(action: int) -> int:
        typed = space.typed(action)
        if isinstance(typed, ClaimRoute):
            length: int = routes[typed.route].length
            return 100 + 10 * length - typed.wilds
        return {KEEP_FIRST: 60, BLIND: 50, OFFER: 1, PASS: 0}.get(action, 10)

    return max(ask.legal, key=worth)


def hoarder(ask: Ask) -> int:
    """Draw cards while there are any, which makes games long and full of events."""
    draws = [action for action in _DRAWS if action in ask.legal]
    return draws[0] if draws else builder(ask)
