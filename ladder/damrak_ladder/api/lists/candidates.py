"""Candidates for a page, from an index, newest first.

The order and the index depend on the selection: seats of the wanted versions, or blocks by the
time of their end, or the few blocks that are not recorded. Other filters are applied to the
candidates. A request examines at most `MOST_EXAMINED` blocks, however many there are: if few of
them match, the page is shorter than its limit, and its cursor continues the scan.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, JSONField, Max, OuterRef, Q, QuerySet, Subquery

from damrak_ladder.api.lists.filters import Selection, is_recorded
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Block, Seat
from damrak_ladder.tournaments.access import Viewer
from damrak_ladder.tournaments.visibility import passed, visible_blocks, visible_seats

MOST_EXAMINED: Final = 2000
MOST_AT_ONCE: Final = 500

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A block that may be listed, and its sort key."""

    block: int
    key: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Candidates, and the key of the last row that was examined; None if no rows follow."""

    candidates: list[Candidate]
    end: tuple[int, int] | None


class _Keys(Subquery):
    """The values `listed` of the rows of a subquery, as one list."""

    template = "ARRAY(%(subquery)s)"
    output_field = JSONField()

    def as_sqlite(self, compiler: Any, connection: BaseDatabaseWrapper, **extra: Any) -> Any:
        """Return the SQL for SQLite, which has no arrays."""
        template = "(SELECT json_group_array(listed) FROM (%(subquery)s))"
        return self.as_sql(compiler, connection, template=template, **extra)

    def get_db_converters(self, connection: BaseDatabaseWrapper) -> list[Any]:
        """Return the conversion to a list."""
        return [lambda value, *_: json.loads(value) if isinstance(value, str) else value]


def scan(
    selection: Selection, after: tuple[int, int] | None, limit: int
) -> Iterator[tuple[list[Candidate], tuple[int, int] | None]]:
    """Yield matching candidates chunk by chunk, each with the key at which the scan continues."""
    examined, size = 0, min(limit + 1, MOST_AT_ONCE)
    while examined < MOST_EXAMINED:
        chunk = candidates(selection, after, size)
        keys = [one.block for one in chunk.candidates]
        matching = passed(Block).filter(selection.condition, pk__in=keys)
        found = set(matching.values_list("pk", flat=True))
        yield [one for one in chunk.candidates if one.block in found], chunk.end
        if chunk.end is None:
            return
        after, examined, size = chunk.end, examined + size, MOST_AT_ONCE


def candidates(selection: Selection, after: tuple[int, int] | None, size: int) -> Chunk:
    """Return the next candidates after this key, newest first."""
    if selection.versions is not None:
        return _by_seat(selection.versions, selection.viewer, after, size)
    found = visible_blocks(selection.viewer).filter(state=selection.state)
    if selection.ladder is not None:
        found = found.filter(ladder=selection.ladder)
    if is_recorded(selection.state):
        rows = _by_time(found, selection, after, size)
    else:
        before = found if after is None else found.filter(pk__lt=after[1])
        keys = before.order_by("-pk").values_list("pk", flat=True)[:size]
        rows = [Candidate(key, (0, key)) for key in keys]
    return Chunk(rows, rows[-1].key if len(rows) == size else None)


def _by_time(
    found: QuerySet[Block], selection: Selection, after: tuple[int, int] | None, size: int
) -> list[Candidate]:
    if selection.since is not None:
        found = found.filter(finished__gte=selection.since)
    if selection.until is not None:
        found = found.filter(finished__lt=selection.until)
    if after is not None:
        moment = _EPOCH + after[0] * _MICROSECOND
        found = found.filter(finished__lte=moment).exclude(Q(finished=moment, pk__gte=after[1]))
    rows = found.order_by("-finished", "-pk").values_list("pk", "finished")[:size]
    return [
        Candidate(key, ((finished - _EPOCH) // _MICROSECOND, key))
        for key, finished in rows
        if finished is not None
    ]


def _by_seat(
    versions: QuerySet[Version], viewer: Viewer, after: tuple[int, int] | None, size: int
) -> Chunk:
    """Return candidates by the seats of these versions in the first matches of blocks.

    Only the versions that played last can have one of the newest seats, so the seats of no others
    are read.
    """
    seats = visible_seats(viewer).filter(version=OuterRef("pk"), match__number=0).order_by("-pk")
    if after is not None:
        seats = seats.filter(pk__lt=after[1])
    last = Subquery(seats.values("pk")[:1])
    played = versions.annotate(last=last).filter(last__isnull=False).order_by("-last")
    latest = list(played.values_list("pk", flat=True)[:size])
    lists = Version.objects.filter(pk__in=latest).annotate(
        found=_Keys(seats.values(listed=F("pk"))[:size])
    )
    found = [key for keys in lists.values_list("found", flat=True) for key in keys]
    found = sorted(found, reverse=True)[:size]
    block_of = dict(passed(Seat).filter(pk__in=found).values_list("pk", "match__block"))
    kept = found if len(latest) < 2 else _last_of_blocks(found, block_of, versions)
    end = (0, found[-1]) if len(found) == size else None
    return Chunk([Candidate(block_of[key], (0, key)) for key in kept], end)


def _last_of_blocks(
    keys: list[int], block_of: dict[int, int], versions: QuerySet[Version]
) -> list[int]:
    """Return the keys without those of blocks that another of these versions is listed for."""
    seats = passed(Seat).filter(
        match__block__in=set(block_of.values()), match__number=0, version__in=versions
    )
    rows = seats.values("match__block").annotate(last=Max("pk"))
    last = dict(rows.values_list("match__block", "last"))
    return [key for key in keys if last[block_of[key]] == key]
