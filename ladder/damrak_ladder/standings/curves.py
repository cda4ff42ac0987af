"""How the published Elo of a few versions went, for charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Max, Min, OuterRef, Subquery

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
    """For each of up to `MOST_VERSIONS` versions at most so many points, the oldest first.

    Looked at are fits at equal distances, the first and the latest among them, and of each version
    the line that held then: as many looks into the index as there are points, however long the
    ledger. Where nothing changed between two of them there is one point.
    """
    wanted = list(dict.fromkeys(versions))[:MOST_VERSIONS]
    size = ALL if seats is None else seats
    fits = Fit.objects.filter(ladder=ladder)
    begin = fits if since is None else fits.filter(at__gte=since)
    ends = begin.aggregate(first=Min("number"), last=Max("number"))  # numbers go on with time
    if ends["first"] is None or not wanted:
        return {version: [] for version in wanted}
    numbers = _spread(ends["first"], ends["last"], min(points, MOST_POINTS))
    lines = Line.objects.filter(ladder=ladder, seats=size, fit__lte=OuterRef("number"))
    held = {
        f"line_{version}": Subquery(
            lines.filter(version_id=version).order_by("-fit").values("pk")[:1]
        )
        for version in wanted
    }
    rows = fits.filter(number__in=numbers).order_by("number").annotate(**held)
    keys = list(rows.values_list(*held))
    seen = {key for values in keys for key in values if key is not None}
    columns = ("at", "elo", "low", "high", "rank", "games")
    found = Line.objects.filter(pk__in=seen, blocks__gt=0).values_list("pk", *columns)
    known = {key: Point(*values) for key, *values in found}
    return {
        version: [
            known[key] for key in dict.fromkeys(values[at] for values in keys) if key in known
        ]
        for at, version in enumerate(wanted)
    }


def _spread(first: int, last: int, points: int) -> list[int]:
    """Up to so many whole numbers at equal distances, both ends among them."""
    span, steps = last - first, max(1, points - 1)
    if span <= steps:
        return list(range(first, last + 1))
    return [first + span * step // steps for step in range(steps + 1)]
