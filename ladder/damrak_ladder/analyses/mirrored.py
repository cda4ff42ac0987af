"""Comparison of a match with the other matches of its block that have the same cards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from damrak_engine.scoring import Result
from damrak_ladder.analyses.rollouts import Z95, Estimate, mean_and_error, worth_of


@dataclass(frozen=True, slots=True)
class Mirrored:
    """The lead of a seat, and the mean lead of the others in the same seat."""

    lead: float
    others: float
    games: int  # the number of others
    difference: Estimate


def mirrored(
    came: Result, others: Sequence[Result], from_the_deal: list[list[float]]
) -> list[Mirrored]:
    """Return for each seat its lead compared with that in the other games of this seed.

    The interval assumes players of equal strength: it is the spread of games of this deal in which
    the reference policy plays all seats.
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
