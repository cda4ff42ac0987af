"""The winning chances of each seat in the course of a match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from damrak_engine.scoring import Result
from damrak_ladder.analyses.course import Step
from damrak_ladder.analyses.rollouts import Estimate, chance_of, play_on, wilson, worth_of

BUDGET: Final = 300_000  # decisions in all tries together
FEWEST: Final = 32
MOST: Final = 400


@dataclass(frozen=True, slots=True)
class Chances:
    """The chances of each seat at one moment."""

    moment: int
    seats: tuple[Estimate, ...]


def tries_for(steps: int, budget: int = BUDGET) -> int:
    """Return the number of rollouts per position of a match with this many positions."""
    return max(FEWEST, min(MOST, 2 * budget // (steps * steps)))


def chances_along(
    steps: list[Step], came: Result, seed: str, tries: int
) -> tuple[list[Chances], list[list[float]]]:
    """Return the chances at every position, and the final leads of each rollout of the first.

    The last position is the end of the match, where the result is certain.
    """
    found = []
    from_the_deal: list[list[float]] = []
    seats = range(len(came.seats))
    for step in steps[:-1]:
        sums = [0.0 for _ in seats]
        for number in range(tries):
            worth = play_on(step.state.copy(), chance_of(seed, number))
            for seat in seats:
                sums[seat] += worth.shares[seat]
            if step is steps[0]:
                from_the_deal.append(list(worth.leads))
        estimates = tuple([wilson(total / tries, tries) for total in sums])
        found.append(Chances(step.moment, estimates))
    ends = tuple([Estimate(share, share, share) for share in worth_of(came).shares])
    found.append(Chances(steps[-1].moment, ends))
    return found, from_the_deal
