"""The history of the published Elo of a few versions, for charts."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from django.db.models import Max, Min, OuterRef, Q, Subquery

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Fit, Line

MOST_VERSIONS: Final = 12
MOST_POINTS: Final = 300
FEW: Final = 500
"""Up to this many lines, all are read, which is faster than one lookup per point."""

_Read: TypeAlias = tuple[Any, ...]
_COLUMNS: Final = (
    *("ladder_id", "version_id", "fit", "blocks"),
    *("at", "elo", "low", "high", "rank", "games"),
)


@dataclass(frozen=True, slots=True)
class Point:
    """The values published at one moment."""

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
    """Return at most `points` points for each of up to `MOST_VERSIONS` versions, oldest first."""
    return histories([ladder.pk], versions, seats, since, points)[ladder.pk]


def histories(
    ladders: Sequence[int],
    versions: Sequence[int],
    seats: int | None = None,
    since: datetime | None = None,
    points: int = 120,
) -> dict[int, dict[int, list[Point]]]:
    """Return the points on each of these ladders, in three or four queries in total.

    Points are taken at fits at equal distances, including the first and the latest, from the line
    of each version that was valid then. If nothing changed between two of them, there is one point.
    """
    wanted = list(dict.fromkeys(versions))[:MOST_VERSIONS]
    found: dict[int, dict[int, list[Point]]] = {
        ladder: {version: [] for version in wanted} for ladder in ladders
    }
    size = ALL if seats is None else seats
    fits = Fit.objects.filter(ladder__in=ladders)
    begin = fits if since is None else fits.filter(at__gte=since)
    ends = begin.values_list("ladder").annotate(first=Min("number"), last=Max("number"))
    looks = {  # numbers increase with time
        ladder: _spread(first, last, min(points, MOST_POINTS))
        for ladder, first, last in ends.order_by()
    }
    if not (wanted and looks):
        return found
    every = Line.objects.filter(ladder__in=looks, version__in=wanted, seats=size).order_by("fit")
    if every.order_by()[: FEW + 1].count() <= FEW:
        lines = _held(list(every.values_list(*_COLUMNS)), looks)
    else:
        looked_up = every.filter(pk__in=_looked_up(looks, wanted, size))
        lines = list(looked_up.values_list(*_COLUMNS))
    for ladder, version, _fit, blocks, *values in lines:
        if blocks:
            found[ladder][version].append(Point(*values))
    return found


def _held(lines: Sequence[_Read], looks: Mapping[int, Sequence[int]]) -> list[_Read]:
    """Return those of these lines, oldest first, that were valid at one of the sampled fits."""
    kept = []
    until: dict[tuple[int, int], int] = {}  # by version and table size: the following line
    for line in reversed(lines):
        ladder, version, fit, *_ = line
        numbers = looks[ladder]
        look = bisect_left(numbers, fit)
        if look < len(numbers) and numbers[look] < until.get((ladder, version), sys.maxsize):
            kept.append(line)
        until[ladder, version] = fit
    return kept[::-1]


def _looked_up(looks: Mapping[int, Sequence[int]], versions: Sequence[int], seats: int) -> set[int]:
    """Return the lines valid at these fits: one index lookup per fit and version."""
    looked_at = Q(pk__in=[])
    for ladder, numbers in looks.items():
        looked_at |= Q(ladder=ladder, number__in=numbers)
    lines = Line.objects.filter(ladder=OuterRef("ladder"), seats=seats, fit__lte=OuterRef("number"))
    held = {
        f"line_{version}": Subquery(
            lines.filter(version_id=version).order_by("-fit").values("pk")[:1]
        )
        for version in versions
    }
    rows = Fit.objects.filter(looked_at).annotate(**held).values_list(*held)
    return {key for keys in rows for key in keys if key is not None}


def _spread(first: int, last: int, points: int) -> list[int]:
    """Return up to `points` whole numbers at equal distances, including both ends."""
    span, steps = last - first, max(1, points - 1)
    if span <= steps:
        return list(range(first, last + 1))
    return [first + span * step // steps for step in range(steps + 1)]
