"""The table of a ladder, today and on any day before."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Sum

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.figures import ALL
from damrak_ladder.standings.models import Fit, Line, Standing, Tally

_BOT = ("version__bot__slug", "version__bot__name", "version__number", "version__kind")
_WHO = ("version_id", *_BOT, "version__bot__owner__username", "version__language")
_NUMBERS = ("elo", "low", "high", "rank", "rank_low", "rank_high", "band", "first")
_COUNTS = ("blocks", "games")


class BadCursor(ValueError):
    """No page of a table begins there."""


@dataclass(frozen=True, slots=True)
class Row:
    """One version in a table. Whoever is not on the list, or no longer, has no rank or band."""

    version_id: int
    bot_slug: str
    bot_name: str
    number: int
    kind: str
    owner: str
    language: str
    elo: int
    low: int
    high: int
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    band: int | None
    first: float | None
    blocks: int
    games: int
    faults: int | None = None  # not known of days past
    day: int | None = None  # change of Elo in 24 hours; None for who is newer
    week: int | None = None

    @property
    def cursor(self) -> str:
        """Where the page after this row begins."""
        return f"e{self.elo}.{self.version_id}" if self.rank is None else f"r{self.rank}"


def table(
    ladder: Ladder,
    seats: int | None = None,
    on: date | None = None,
    *,
    everyone: bool = False,
    kinds: Collection[str] | None = None,
    after: str = "",
    limit: int | None = None,
) -> list[Row]:
    """The versions on the list by rank; with `everyone`, behind them all others by Elo.

    `seats` takes only tables of that size into account. `on` is a day (UTC), at whose end the table
    is read from the ledger. `kinds` leaves out others without changing ranks. A page begins behind
    the row whose `cursor` is `after`. There is a bounded number of queries, and none of them grows
    with what has been played.

    Raises:
        BadCursor
    """
    size = ALL if seats is None else seats
    if on is not None:
        return _past(ladder, size, on, everyone, kinds, after, limit)
    rows = Standing.objects.filter(ladder=ladder, seats=size, blocks__gt=0)
    if kinds is not None:
        rows = rows.filter(version__kind__in=kinds)
    rows = _with_trend(rows, ladder, size)
    found: list[Row] = []
    on_list, later = _behind(after)
    if on_list is not None:
        listed = rows.filter(rank__gt=on_list).order_by("rank")
        found = _rows(listed if limit is None else listed[:limit])
    if everyone and (limit is None or len(found) < limit):
        others = rows.filter(rank=None).order_by("-elo", "version")
        if later is not None:
            elo, version = later
            others = others.filter(Q(elo__lt=elo) | Q(elo=elo, version__gt=version))
        found += _rows(others if limit is None else others[: limit - len(found)])
    return found


def _behind(cursor: str) -> tuple[int | None, tuple[int, int] | None]:
    """The rank, or the Elo and version behind which a page begins."""
    if not cursor:
        return 0, None
    if found := re.fullmatch(r"r([0-9]{1,9})", cursor, re.ASCII):
        return int(found[1]), None
    if found := re.fullmatch(r"e(-?[0-9]{1,9})\.([0-9]{1,18})", cursor, re.ASCII):
        return None, (int(found[1]), int(found[2]))
    raise BadCursor(f"{cursor[:40]!r} is no place in a table")


def _with_trend(rows: QuerySet[Standing], ladder: Ladder, seats: int) -> QuerySet[Any]:
    latest = Fit.objects.filter(ladder=ladder).order_by("-number").first()
    until = datetime.now(UTC) if latest is None else latest.at
    lines = Line.objects.filter(
        ladder=ladder, seats=seats, version=OuterRef("version"), blocks__gt=0
    ).order_by("-at", "-fit")
    faults = Tally.objects.filter(ladder=ladder, version=OuterRef("version"))
    if seats != ALL:
        faults = faults.filter(seats=seats)
    total = faults.order_by().values("version").annotate(total=Sum("faults")).values("total")
    return rows.annotate(
        faults=Subquery(total),
        day=F("elo") - Subquery(lines.filter(at__lte=until - timedelta(days=1)).values("elo")[:1]),
        week=F("elo") - Subquery(lines.filter(at__lte=until - timedelta(days=7)).values("elo")[:1]),
    )


def _rows(found: QuerySet[Any]) -> list[Row]:
    columns = (*_WHO, *_NUMBERS, *_COUNTS, "faults", "day", "week")
    return [Row(*values) for values in found.values_list(*columns)]


def _past(
    ladder: Ladder,
    seats: int,
    on: date,
    everyone: bool,
    kinds: Collection[str] | None,
    after: str,
    limit: int | None,
) -> list[Row]:
    """One look into the index of the ledger for each version that ever played here."""
    until = datetime.combine(on + timedelta(days=1), time(), UTC)
    latest = Line.objects.filter(
        ladder=ladder, seats=seats, version=OuterRef("version"), at__lt=until
    ).order_by("-at", "-fit")
    known = Standing.objects.filter(ladder=ladder, seats=seats)
    known_lines = known.annotate(line=Subquery(latest.values("pk")[:1])).values("line")
    lines = Line.objects.filter(pk__in=known_lines, blocks__gt=0)
    rows = [Row(*values) for values in lines.values_list(*_WHO, *_NUMBERS, *_COUNTS)]
    # Whoever was overtaken without a change of its own has no line for that: count afresh.
    listed = sorted(
        (row for row in rows if row.rank is not None),
        key=lambda row: (-row.elo, row.band, row.rank, row.version_id),
    )
    rows = [_ranked(row, rank) for rank, row in enumerate(listed, start=1)] + (
        sorted(
            (row for row in rows if row.rank is None), key=lambda row: (-row.elo, row.version_id)
        )
        if everyone
        else []
    )
    on_list, later = _behind(after)
    chosen = [
        row
        for row in rows
        if (kinds is None or row.kind in kinds)
        and (
            (on_list is not None and (row.rank is None or row.rank > on_list))
            or (later is not None and row.rank is None and (-row.elo, row.version_id) > _key(later))
        )
    ]
    return chosen[:limit]


def _key(later: tuple[int, int]) -> tuple[int, int]:
    return -later[0], later[1]


def _ranked(row: Row, rank: int) -> Row:
    low, high = row.rank_low or rank, row.rank_high or rank
    return replace(row, rank=rank, rank_low=min(low, rank), rank_high=max(high, rank))
