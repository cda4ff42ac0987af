"""What a finished game is worth to each seat. Before the end every reward is 0.

Both schemes are zero-sum: whatever one seat gains, the others lose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from damrak_engine.scoring import Result


@dataclass(frozen=True, slots=True)
class Reward:
    """A scheme: the rewards of all seats for a result, and that of a seat that breaks the rules."""

    of: Callable[[Result], list[float]]
    illegal: float


def by_place(result: Result) -> list[float]:
    """From +1 for beating everybody to -1 for losing to everybody; a draw of two is 0."""
    places = [seat.place for seat in result.seats]
    return [
        (sum(other > own for other in places) - sum(other < own for other in places))
        / (len(places) - 1)
        for own in places
    ]


def by_margin(result: Result) -> list[float]:
    """By how many points a seat's total exceeds the mean of the others."""
    totals = [seat.total for seat in result.seats]
    return [total - (sum(totals) - total) / (len(totals) - 1) for total in totals]


REWARDS: Final = {"place": Reward(by_place, -1.0), "margin": Reward(by_margin, -100.0)}


def reward_named(name: str) -> Reward:
    """The scheme of this name.

    Raises:
        ValueError: there is none.
    """
    if name not in REWARDS:
        raise ValueError(f"no reward {name!r}; there are: {', '.join(REWARDS)}")
    return REWARDS[name]
