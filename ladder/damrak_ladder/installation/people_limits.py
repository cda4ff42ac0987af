"""The limits of games of people, as an operator sets them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from damrak_ladder.installation import values

Get = Callable[[str, str, Callable[[str], int]], int]
"""Returns the parsed value of a variable, or of its default."""


@dataclass(frozen=True, slots=True)
class PeopleLimits:
    """The limits of games of people."""

    games: int  # at once, on this machine
    per_address: int  # unfinished ones
    hints: int  # to one person in one game
    take_backs: int  # of one person in one game


def people_limits(get: Get, prefix: str) -> PeopleLimits:
    """Return the limits from the variables with this prefix."""
    return PeopleLimits(
        games=get(prefix + "PEOPLE_GAMES", "8", values.count),
        per_address=get(prefix + "PEOPLE_GAMES_PER_ADDRESS", "6", values.count),
        hints=get(prefix + "PEOPLE_HINTS", "20", values.count_or_none),
        take_backs=get(prefix + "PEOPLE_TAKE_BACKS", "30", values.count_or_none),
    )
