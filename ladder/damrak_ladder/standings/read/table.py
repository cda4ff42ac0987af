"""The table of a ladder, today and at the end of any past day."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from django.db.models import F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.fit.daily_order import day_of, end_of
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Fit, Line, Standing, Tally

_BOT = ("version__bot__slug", "version__bot__name", "version__number", "version__kind")
_WHO = ("version_id", *_BOT, "version__bot__owner__username", "version__language")
_NUMBERS = ("elo", "low", "high", "rank", "rank_low", "rank_high", "band", "first")
_COUNTS = ("blocks", "games")

ORDERS: Final = {"games": F("games"), "first": F("first"), "width": F("low") - F("high")}
"""The orders of a table in addition to the rank, all descending."""


class BadCursor(ValueError):
    """A cursor that does not identify a page of a table."""


@dataclass(frozen=True, slots=True)
class Row:
    """One version in a table. Versions that are not listed have no rank or band."""

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
    faults: int | None = None  # unknown for past days
    day: int | None = None  # change of Elo in the last 24 hours; None for newer versions
    week: int | None = None

    @property
    def has_moved(self) -> bool:
        """Whether its Elo changed in a week by more than half the width of its interval."""
        return self.week is not None and 2 * abs(self.week) > self.high - self.low

    @property
    def cursor(self) -> str:
        """The cursor of the page after this row."""
        return f"e{self.elo}.{self.version_id}" if self.rank is None else f"r{self.rank}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The filter of a table; empty values select all versions."""

    kinds: frozenset[str] | None = None
    language: str = ""
    owner: str = ""

    def takes(self, row: Row) -> bool:
        """Return whether the filter selects this row."""
        return (
            (self.kinds is None or row.kind in self.kinds)
            and self.language.lower() in ("", row.language.lower())
            and self.owner.lower() in ("", row.owner.lower())
        )


def table(
    ladder: Ladder,
    seats: int | None = None,
    on: date | None = None,
    *,
    everyone: bool = False,
    kinds: Collection[str] | None = None,
    language: str = "",
    owner: str = "",
    after: str = "",
    skip: int = 0,
    limit: int | None = None,
    with_trend: bool = True,
) -> list[Row]:
    """Return the listed versions by rank; with `everyone`, followed by all others by Elo.

    `seats` selects tables of one size. `on` is a day (UTC), at whose end the table is read from the
    ledger. `kinds`, `language` and `owner` filter the rows without changing ranks. A page begins
    after the row whose `cursor` is `after` or, in the current list, after `skip` rows. Without
    `with_trend`, faults and changes are not looked up. The number of queries is bounded, and none
    of them grows with the number of games.

    Raises:
        BadCursor
    """
    size = ALL if seats is None else seats
    wanted = Wanted(None if kinds is None else frozenset(kinds), language, owner)
    if on is not None:
        return _past(ladder, size, on, everyone, wanted, after, limit, with_trend)
    rows: QuerySet[Any] = _published(ladder, size, wanted)
    if with_trend:
        rows = _with_trend(rows, ladder, size)
    found: list[Row] = []
    on_list, later = _behind(after)
    if on_list is not None:
        if skip and wanted == Wanted():
            on_list, skip = on_list + skip, 0  # ranks have no gaps
        listed = rows.filter(rank__gt=on_list).order_by("rank")[skip:]
        found = _rows(listed if limit is None else listed[:limit], with_trend)
    if everyone and (limit is None or len(found) < limit):
        others = rows.filter(rank=None).order_by("-elo", "version")
        if later is not None:
            elo, version = later
            others = others.filter(Q(elo__lt=elo) | Q(elo=elo, version__gt=version))
        found += _rows(others if limit is None else others[: limit - len(found)], with_trend)
    return found


def table_by(
    ladder: Ladder,
    order: str,
    seats: int | None = None,
    *,
    kinds: Collection[str] | None = None,
    language: str = "",
    owner: str = "",
    after: str = "",
    limit: int,
) -> tuple[list[Row], str]:
    """Return the listed versions in one of `ORDERS`, and the cursor of the next page.

    The cursor is empty at the end.

    Raises:
        BadCursor
    """
    size = ALL if seats is None else seats
    wanted = Wanted(None if kinds is None else frozenset(kinds), language, owner)
    rows = _published(ladder, size, wanted).filter(rank__isnull=False).annotate(key=ORDERS[order])
    if after:
        found = re.fullmatch(r"k(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)_([0-9]{1,18})", after, re.ASCII)
        if found is None:
            raise BadCursor(f"{after[:40]!r} is no place in a table")
        key, version = float(found[1]), int(found[2])
        rows = rows.filter(Q(key__lt=key) | Q(key=key, version__gt=version))
    chosen = list(rows.order_by("-key", "version").values_list("version", "key")[: limit + 1])
    place = {version: at for at, (version, _key) in enumerate(chosen[:limit])}
    page = Standing.objects.filter(ladder=ladder, seats=size, version__in=place)
    full = sorted(_rows(_with_trend(page, ladder, size)), key=lambda row: place[row.version_id])
    last = chosen[limit - 1] if len(chosen) > limit else None
    return full, "" if last is None else f"k{last[1]}_{last[0]}"


def length(ladder: Ladder, seats: int | None = None) -> int:
    """Return the number of versions on the list."""
    size = ALL if seats is None else seats
    return Standing.objects.filter(ladder=ladder, seats=size, rank__isnull=False).count()


def rows_of(ladder: Ladder, bots: Collection[str], seats: int | None = None) -> list[Row]:
    """Return the rows of these bots, by slug, in this order: the listed version of each."""
    size = ALL if seats is None else seats
    listed = Standing.objects.filter(ladder=ladder, seats=size, rank__isnull=False)
    found = _rows(_with_trend(listed.filter(version__bot__slug__in=bots), ladder, size))
    place = {slug: at for at, slug in enumerate(bots)}
    return sorted(found, key=lambda row: (place[row.bot_slug], row.rank))


def _published(ladder: Ladder, seats: int, wanted: Wanted) -> QuerySet[Standing]:
    return _among(Standing.objects.filter(ladder=ladder, seats=seats, blocks__gt=0), wanted)


def _among(rows: QuerySet[Standing], wanted: Wanted) -> QuerySet[Standing]:
    if wanted.kinds is not None:
        rows = rows.filter(version__kind__in=wanted.kinds)
    if wanted.language:
        rows = rows.filter(version__language__iexact=wanted.language)
    if wanted.owner:
        rows = rows.filter(version__bot__owner__username__iexact=wanted.owner)
    return rows


def _behind(cursor: str) -> tuple[int | None, tuple[int, int] | None]:
    """Return the rank, or the Elo and version, after which a page begins."""
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
    faults = Tally.objects.filter(ladder=ladder, version=OuterRef("version"))
    if seats != ALL:
        faults = faults.filter(seats=seats)
    total = faults.order_by().values("version").annotate(total=Sum("faults")).values("total")
    return rows.annotate(faults=Subquery(total), **_changes(ladder, seats, until))


def _changes(ladder: Ladder, seats: int, until: datetime) -> dict[str, Any]:
    """Return expressions for the change of each Elo in the day and the week before that moment."""
    lines = Line.objects.filter(
        ladder=ladder, seats=seats, version=OuterRef("version"), blocks__gt=0
    ).order_by("-at", "-fit")
    return {
        name: F("elo") - Subquery(lines.filter(at__lte=until - span).values("elo")[:1])
        for name, span in (("day", timedelta(days=1)), ("week", timedelta(days=7)))
    }


def _rows(found: QuerySet[Any], with_trend: bool = True) -> list[Row]:
    return [row for _key, row in _keyed(found, with_trend)]


def _keyed(found: QuerySet[Any], with_trend: bool) -> list[tuple[int, Row]]:
    """Return rows with the keys of their sources."""
    trend = ("faults", "day", "week") if with_trend else ()
    columns = ("pk", *_WHO, *_NUMBERS, *_COUNTS, *trend)
    return [(key, Row(*values)) for key, *values in found.values_list(*columns)]


def _past(
    ladder: Ladder,
    seats: int,
    on: date,
    everyone: bool,
    wanted: Wanted,
    after: str,
    limit: int | None,
    with_trend: bool,
) -> list[Row]:
    """Return the lines that were valid at the end of that day, in order (fit/daily_order.py)."""
    day = day_of(ladder, seats, on)
    on_list, later = _behind(after)
    places: list[tuple[int, int | None]] = []  # index in the day, and rank
    if on_list is not None:
        places += [(at, at + 1) for at in range(on_list, day.listed)]
    if everyone:
        begin = day.listed if later is None else day.behind(*later)
        places += [(at, None) for at in range(begin, len(day.lines))]
    if wanted != Wanted():
        known = Standing.objects.filter(ladder=ladder, seats=seats)
        taken = set(_among(known, wanted).values_list("version", flat=True))
        places = [(at, rank) for at, rank in places if day.versions[at] in taken]
    chosen = {day.lines[at]: rank for at, rank in places[:limit]}
    lines: QuerySet[Any] = Line.objects.filter(pk__in=chosen)
    if with_trend:
        unknown = Value(None, output_field=IntegerField())
        lines = lines.annotate(faults=unknown, **_changes(ladder, seats, end_of(on)))
    rows = dict(_keyed(lines, with_trend))
    return [rows[pk] if rank is None else _ranked(rows[pk], rank) for pk, rank in chosen.items()]


def _ranked(row: Row, rank: int) -> Row:
    low, high = row.rank_low or rank, row.rank_high or rank
    return replace(row, rank=rank, rank_low=min(low, rank), rank_high=max(high, rank))
