"""The order of a ladder at the end of a day.

Finding it takes one lookup in the ledger for each version that has ever played. It follows from the
fits up to that day, so it is stored with the last of these once the day is over. Until it is
stored, results are cached for a while.
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
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Fit, Line, Order, Standing

_KEPT_SECONDS: Final = 24 * 3600
_DAYS_WRITTEN: Final = 3
_FORMS: Final = ("<i8", "<u4", "<i4")


@dataclass(frozen=True, slots=True)
class Day:
    """The lines of the ledger that were valid at the end of the day.

    The lines of listed versions come first, best first, followed by all others by Elo.
    """

    listed: int  # the number of listed versions
    lines: array[int]  # primary keys
    versions: array[int]
    elos: array[int]

    def behind(self, elo: int, version: int) -> int:
        """Return the index behind this version among those that are not on the list."""
        keys = range(self.listed, len(self.lines))
        return self.listed + bisect_right(
            keys, (-elo, version), key=lambda at: (-self.elos[at], self.versions[at])
        )


def day_of(ladder: Ladder, seats: int, on: date) -> Day:
    """Return the order at the end of a day (UTC)."""
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
    """Store the orders of the last completed days that are not stored yet. Return their number."""
    today, written = now.astimezone(UTC).date(), 0
    sizes = (ALL, *sorted(int(seats) for seats in ladder.shares))
    for back in range(1, _DAYS_WRITTEN + 1):
        on = today - timedelta(days=back)
        latest = _fits_until(ladder, on).first()
        if latest is None or latest.at < end_of(on) - timedelta(days=1):
            continue  # nothing was published on that day, so its order is that of the previous day
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
    """Return the rows as bytes: eight per line, then four per version, then four for its Elo."""
    return b"".join(
        np.array(values, dtype=form).tobytes()
        for values, form in zip((day.lines, day.versions, day.elos), _FORMS, strict=True)
    )


def unpacked(listed: int, rows: bytes) -> Day:
    """Return the day that `packed` has encoded."""
    count = len(rows) // sum(np.dtype(form).itemsize for form in _FORMS)
    columns, begin = [], 0
    for form in _FORMS:
        values = np.frombuffer(rows, dtype=form, count=count, offset=begin)
        columns.append(array("q", values.astype(np.int64).tobytes()))
        begin += values.nbytes
    return Day(listed, *columns)


def end_of(on: date) -> datetime:
    """Return the first moment after that day (UTC)."""
    return datetime.combine(on + timedelta(days=1), time(), UTC)


def _fits_until(ladder: Ladder, on: date) -> QuerySet[Fit]:
    """Return the fits up to the end of that day, the latest first."""
    return Fit.objects.filter(ladder=ladder, at__lt=end_of(on)).order_by("-at", "-number")


def _looked_up(ladder: Ladder, seats: int, until: datetime) -> Day:
    latest = Line.objects.filter(
        ladder=ladder, seats=seats, version=OuterRef("version"), at__lt=until
    ).order_by("-at", "-fit")
    known = Standing.objects.filter(ladder=ladder, seats=seats)
    held = known.annotate(line=Subquery(latest.values("pk")[:1])).values("line")
    columns = ("pk", "version_id", "elo", "band", "rank")
    found = list(Line.objects.filter(pk__in=held, blocks__gt=0).values_list(*columns))
    # A version that was overtaken without a change of its own has no line for that, so sort again.
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
