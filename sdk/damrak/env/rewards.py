"""Rewards of a finished game for each seat. Before the end every reward is 0.

Both schemes are zero-sum: the rewards of all seats add up to 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from damrak_engine.scoring import Result


@dataclass(frozen=True, slots=True)
class Reward:
    """A reward scheme: the rewards for a result, and that of a seat that breaks the rules."""

    of: Callable[[Result], list[float]]
    illegal: float


def by_place(result: Result) -> list[float]:
    """Return rewards from +1 for beating all others to -1 for losing to all; a draw of two is 0."""
    places = [seat.place for seat in result.seats]
    return [
        (sum(other > own for other in places) - sum(other < own for other in places))
        / (len(places) - 1)
        for own in places
    ]


def by_margin(result: Result) -> list[float]:
    """Return the number of points by which each total exceeds the mean of the others."""
    totals = [seat.total for seat in result.seats]
    return [total - (sum(totals) - total) / (len(totals) - 1) for total in totals]


REWARDS: Final = {"place": Reward(by_place, -1.0), "margin": Reward(by_margin, -100.0)}


def reward_named(name: str) -> Reward:
    """Return the scheme of this name.

    Raises:
        ValueError: there is no such scheme.
    """
    if name not in REWARDS:
        raise ValueError(f"no reward {name!r}; there are: {', '.join(REWARDS)}")
    return REWARDS[name]
