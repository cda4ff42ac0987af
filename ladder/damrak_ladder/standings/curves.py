"""How the published Elo of a few versions went, for charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Max, Min, OuterRef, Q, Subquery

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.figures import ALL
from damrak_ladder.standings.models import Fit, Line

MOST_VERSIONS: Final = 12
MOST_POINTS: Final = 300


@dataclass(frozen=True, slots=True)
class Point:
    """What was published from that moment on."""

    at: datetime
    elo: int
    low: int
    high: int
    rank: int | None
    games: int


def history(
    ladder: Ladder,
    versions: Sequence[int],
    seats: int | None = None,
    since: datetime | None = None,
    points: int = 120,
) -> dict[int, list[Point]]:
    """For each of up to `MOST_VERSIONS` versions at most so many points, the oldest first."""
    return histories([ladder.pk], versions, seats, since, points)[ladder.pk]


def histories(
    ladders: Sequence[int],
    versions: Sequence[int],
    seats: int | None = None,
    since: datetime | None = None,
    points: int = 120,
) -> dict[int, dict[int, list[Point]]]:
    """The same on each of these ladders, in three queries however many these are.

    Looked at are fits at equal distances, the first and the latest among them, and of each version
    the line that held then: as many looks into the index as there are points, however long the
    ledger. Where nothing changed between two of them there is one point.
    """
    wanted = list(dict.fromkeys(versions))[:MOST_VERSIONS]
    found: dict[int, dict[int, list[Point]]] = {
        ladder: {version: [] for version in wanted} for ladder in ladders
    }
    size = ALL if seats is None else seats
    fits = Fit.objects.filter(ladder__in=ladders)
    begin = fits if since is None else fits.filter(at__gte=since)
    ends = begin.values_list("ladder").annotate(first=Min("number"), last=Max("number"))
    looked_at = Q(pk__in=[])
    for ladder, first, last in ends.order_by():  # numbers go on with time
        numbers = _spread(first, last, min(points, MOST_POINTS))
        looked_at |= Q(ladder=ladder, number__in=numbers)
    lines = Line.objects.filter(ladder=OuterRef("ladder"), seats=size, fit__lte=OuterRef("number"))
    held = {
        f"line_{version}": Subquery(
            lines.filter(version_id=version).order_by("-fit").values("pk")[:1]
        )
        for version in wanted
    }
    if not (wanted and looked_at):
        return found
    rows = fits.filter(looked_at).order_by("ladder", "number").annotate(**held)
    keys = {key for values in rows.values_list(*held) for key in values if key is not None}
    columns = ("at", "elo", "low", "high", "rank", "games")
    shown = Line.objects.filter(pk__in=keys, blocks__gt=0).order_by("fit")
    for ladder, version, *values in shown.values_list("ladder_id", "version_id", *columns):
        found[ladder][version].append(Point(*values))
    return found


def _spread(first: int, last: int, points: int) -> list[int]:
    """Up to so many whole numbers at equal distances, both ends among them."""
    span, steps = last - first, max(1, points - 1)
    if span <= steps:
        return list(range(first, last + 1))
    return [first + span * step // steps for step in range(steps + 1)]
