"""The order of a ladder at the end of a day.

Finding it takes one look into the ledger for each version that ever played. It follows from the
fits up to that day, so it is written down beside the last of these as soon as the day is over.
Until then, and if nobody has done so, what was found once is remembered for a while.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import numpy as np
from django.core.cache import cache
from django.db.models import FilteredRelation, OuterRef, Q, QuerySet, Subquery

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.figures import ALL
from damrak_ladder.standings.models import Fit, Line, Order, Standing

_KEPT_SECONDS: Final = 24 * 3600
_DAYS_WRITTEN: Final = 3
_FORMS: Final = ("<i8", "<u4", "<i4")


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
    order = FilteredRelation("orders", condition=Q(orders__seats=seats))
    fits = _fits_until(ladder, on).annotate(written=order)
    latest = fits.values_list("pk", "digest", "written__listed", "written__rows").first()
    if latest is None:
        return Day(0, array("q"), array("q"), array("q"))
    fit, digest, listed, rows = latest
    if rows is not None:
        return unpacked(listed, bytes(rows))
    key = f"day-1-{ladder.pk}-{seats}-{fit}-{digest}"
    kept: Day | None = cache.get(key)
    if kept is None:
        kept = _looked_up(ladder, seats, end_of(on))
        cache.set(key, kept, _KEPT_SECONDS)
    return kept


def write_days(ladder: Ladder, now: datetime) -> int:
    """Write down the orders of the last days that are over, if nobody has; of how many."""
    today, written = now.astimezone(UTC).date(), 0
    sizes = (ALL, *sorted(int(seats) for seats in ladder.shares))
    for back in range(1, _DAYS_WRITTEN + 1):
        on = today - timedelta(days=back)
        latest = _fits_until(ladder, on).first()
        if latest is None or latest.at < end_of(on) - timedelta(days=1):
            continue  # nothing was published on that day: it is as the one before
        there = set(Order.objects.filter(fit=latest).values_list("seats", flat=True))
        for seats in sizes:
            if seats in there:
                continue
            found = _looked_up(ladder, seats, end_of(on))
            row = Order(fit=latest, seats=seats, listed=found.listed, rows=packed(found))
            Order.objects.bulk_create([row], ignore_conflicts=True)
            written += 1
    return written


def packed(day: Day) -> bytes:
    """Its rows as bytes: eight a line, then four a version, then four for its Elo."""
    return b"".join(
        np.array(values, dtype=form).tobytes()
        for values, form in zip((day.lines, day.versions, day.elos), _FORMS, strict=True)
    )


def unpacked(listed: int, rows: bytes) -> Day:
    """The day that these bytes are of."""
    count = len(rows) // sum(np.dtype(form).itemsize for form in _FORMS)
    columns, begin = [], 0
    for form in _FORMS:
        values = np.frombuffer(rows, dtype=form, count=count, offset=begin)
        columns.append(array("q", values.astype(np.int64).tobytes()))
        begin += values.nbytes
    return Day(listed, *columns)


def end_of(on: date) -> datetime:
    """The first moment that is no longer of that day (UTC)."""
    return datetime.combine(on + timedelta(days=1), time(), UTC)


def _fits_until(ladder: Ladder, on: date) -> QuerySet[Fit]:
    """Those up to the end of that day, the last one first."""
    return Fit.objects.filter(ladder=ladder, at__lt=end_of(on)).order_by("-at", "-number")


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
