"""A match against the others of its block: what did others make of the same seat and cards?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from damrak_engine.scoring import Result
from damrak_ladder.analyses.rollouts import Z95, Estimate, mean_and_error, worth_of


@dataclass(frozen=True, slots=True)
class Mirrored:
    """The lead of a seat, and that of the others who sat there."""

    lead: float
    others: float
    games: int  # how many others there were
    difference: Estimate


def mirrored(
    came: Result, others: Sequence[Result], from_the_deal: list[list[float]]
) -> list[Mirrored]:
    """For each seat, how much more was made of it here than in the other games of this seed.

    The interval is for players who are equally good: so far apart do games of this very deal lie
    when the reference policy plays all seats.
    """
    found = []
    own = worth_of(came).leads
    for seat, lead in enumerate(own):
        leads = [worth_of(other).leads[seat] for other in others]
        mean = sum(leads) / len(leads)
        tries = [row[seat] for row in from_the_deal]
        spread = mean_and_error(tries)[1] * math.sqrt(len(tries))
        reach = Z95 * spread * math.sqrt(1 + 1 / len(leads))
        difference = lead - mean
        found.append(
            Mirrored(
                lead, mean, len(leads), Estimate(difference, difference - reach, difference + reach)
            )
        )
    return found
