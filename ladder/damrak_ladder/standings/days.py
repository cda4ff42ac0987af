"""The order of a ladder at the end of a day.

Finding it takes one look into the ledger for each version that ever played. It follows from the
fits up to that day, so what was found once is kept beside the latest of these.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.core.cache import cache
from django.db.models import OuterRef, Subquery

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.models import Fit, Line, Standing

_KEPT_SECONDS: Final = 24 * 3600


@dataclass(frozen=True, slots=True)
class Day:
    """The lines of the ledger that held at its end: first those on the list, best first, then all
    others by Elo."""

    listed: int  # how many are on the list
    lines: array[int]  # keys
    versions: array[int]
    elos: array[int]

    def behind(self, elo: int, version: int) -> int:
        """The place after this version among those that are not on the list."""
        keys = range(self.listed, len(self.lines))
        return self.listed + bisect_right(
            keys, (-elo, version), key=lambda at: (-self.elos[at], self.versions[at])
        )


def day_of(ladder: Ladder, seats: int, on: date) -> Day:
    """The order at the end of a day (UTC)."""
    until = datetime.combine(on + timedelta(days=1), time(), UTC)
    fits = Fit.objects.filter(ladder=ladder, at__lt=until).order_by("-at", "-number")
    latest = fits.values_list("pk", "digest").first()
    if latest is None:
        return Day(0, array("q"), array("q"), array("q"))
    key = f"day-1-{ladder.pk}-{seats}-{latest[0]}-{latest[1]}"
    kept: Day | None = cache.get(key)
    if kept is None:
        kept = _looked_up(ladder, seats, until)
        cache.set(key, kept, _KEPT_SECONDS)
    return kept


def _looked_up(ladder: Ladder, seats: int, until: datetime) -> Day:
    latest = Line.objects.filter(
        ladder=ladder, seats=seats, version=OuterRef("version"), at__lt=until
    ).order_by("-at", "-fit")
    known = Standing.objects.filter(ladder=ladder, seats=seats)
    held = known.annotate(line=Subquery(latest.values("pk")[:1])).values("line")
    columns = ("pk", "version_id", "elo", "band", "rank")
    found = list(Line.objects.filter(pk__in=held, blocks__gt=0).values_list(*columns))
    # Whoever was overtaken without a change of its own has no line for that: count afresh.
    listed = sorted(
        (row for row in found if row[4] is not None),
        key=lambda row: (-row[2], row[3], row[4], row[1]),
    )
    others = sorted((row for row in found if row[4] is None), key=lambda row: (-row[2], row[1]))
    rows = [*listed, *others]
    return Day(
        len(listed),
        array("q", [row[0] for row in rows]),
        array("q", [row[1] for row in rows]),
        array("q", [row[2] for row in rows]),
    )
