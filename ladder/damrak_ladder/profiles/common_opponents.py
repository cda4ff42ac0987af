"""The opponents that two versions have both met on a ladder."""

from __future__ import annotations

from typing import Final

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.counts.encounters import Encounter, encounter_of
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Meeting, Standing

COMMON: Final = 15
"""The maximum number of common opponents: those that the first version met most often."""


def common_opponents(ladder: Ladder, first: int, second: int) -> list[tuple[Encounter, Encounter]]:
    """Return the encounters of both versions with each common opponent, in three queries."""
    met = Meeting.objects.filter(ladder=ladder)
    both = met.filter(version=first, opponent__in=met.filter(version=second).values("opponent"))
    mine = {row.opponent_id: row for row in both.order_by("-blocks", "opponent")[:COMMON]}
    theirs = {row.opponent_id: row for row in met.filter(version=second, opponent__in=mine)}
    known = Standing.objects.filter(
        ladder=ladder, seats=ALL, version__in=[first, second, *mine], blocks__gt=0
    )
    elos = dict(known.values_list("version", "elo"))
    return [(encounter_of(row, elos), encounter_of(theirs[key], elos)) for key, row in mine.items()]
