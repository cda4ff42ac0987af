"""The tournaments that a front page shows, by one query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, Value, When

from damrak_ladder.tournaments.access import listed_tournaments
from damrak_ladder.tournaments.log.values import Phase, Release, Standing
from damrak_ladder.tournaments.models import Pairing

_AFTER: Final = (Phase.OVER, Phase.FINAL)


@dataclass(frozen=True, slots=True)
class Headline:
    """A tournament as everyone may know it."""

    slug: str
    name: str
    summary: str
    phase: str
    entrants: int


def headlines(most: int) -> list[Headline]:
    """Return the public tournaments that are open or under way, then those that ended last.

    While results are hidden, a tournament that has ended looks like one that is running.
    """
    hidden = Pairing.objects.filter(
        round__stage__tournament=OuterRef("pk"), round__is_current=True
    ).exclude(release=Release.PUBLIC)
    is_on = Q(phase__in=[Phase.OPEN, Phase.CLOSED, Phase.RUNNING, Phase.PAUSED])
    rows = (
        listed_tournaments(None)
        .exclude(phase=Phase.CANCELLED)
        .annotate(
            is_hidden=Exists(hidden),
            taking_part=Count("entrants", filter=Q(entrants__standing=Standing.IN)),
        )
        .annotate(
            rank=Case(
                When(is_on | Q(is_hidden=True), then=Value(0)),
                default=Value(1),
                output_field=IntegerField(),
            )
        )
        .order_by("rank", "-pk")[:most]
    )
    return [
        Headline(
            one.slug,
            one.name,
            one.summary,
            str(Phase.RUNNING) if one.is_hidden and one.phase in _AFTER else one.phase,
            one.taking_part,
        )
        for one in rows
    ]
