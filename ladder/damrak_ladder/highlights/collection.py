"""Collection of highlights by a periodic duty, in one pass over the counted blocks of each ladder.

Only blocks of ladders are counted, so that no hidden game of a tournament is ever read. A run
processes a limited number of blocks in a transaction with the position that it has reached, so
each block is read exactly once.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction

from damrak_ladder.bots.models import Version
from damrak_ladder.highlights.games import Book, read_block
from damrak_ladder.highlights.models import Reader, Record, Run, WeekForm
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.models import Counted, Running
from damrak_ladder.standings.packed_blocks import unpack
from damrak_ladder.tournaments.visibility import visible_matches

BATCH: Final = 200
"""The number of blocks of a ladder that one run reads."""


def collect() -> int:
    """Read the next blocks of all ladders; return their number."""
    return sum(_collect(ladder) for ladder in Ladder.objects.order_by("pk"))


def _collect(ladder: Ladder) -> int:
    reached = Reader.objects.filter(ladder=ladder).values_list("serial", flat=True).first() or 0
    if not Counted.objects.filter(ladder=ladder, serial__gt=reached).exists():
        return 0
    Reader.objects.get_or_create(ladder=ladder)
    with transaction.atomic():
        reader = Reader.objects.select_for_update().get(ladder=ladder)
        fresh = Counted.objects.filter(ladder=ladder, serial__gt=reader.serial)
        rows = list(fresh.select_related("block").order_by("serial")[:BATCH])
        if not rows:
            return 0
        outcomes = [unpack(bytes(row.results), bytes(row.points)) for row in rows]
        book = _opened(ladder, {one for outcome in outcomes for one in outcome.block.players})
        matches = visible_matches(None).filter(block__in=[row.block_id for row in rows])
        keys = {(block, at): pk for pk, block, at in matches.values_list("pk", "block", "number")}
        for row, outcome in zip(rows, outcomes, strict=True):
            games = [keys.get((row.block_id, at)) for at in range(len(outcome.points))]
            at = row.block.finished or row.block.created
            read_block(book, outcome, games, at, is_young=row.serial <= BATCH // 4)
        book.save()
        reader.serial = rows[-1].serial
        reader.save()
    return len(rows)


def _opened(ladder: Ladder, players: set[int]) -> Book:
    """Return what is known about these versions."""
    versions = Version.objects.filter(pk__in=players).select_related("bot")
    running = Running.objects.filter(ladder=ladder, version__in=players)
    runs = {row.version_id: row for row in Run.objects.filter(ladder=ladder, version__in=players)}
    recent = WeekForm.objects.filter(ladder=ladder, version__in=players).order_by("-monday")
    newest = recent.values_list("monday", flat=True).first()
    weeks = recent.filter(monday__gte=newest - timedelta(days=7)) if newest else []
    return Book(
        ladder=ladder,
        versions={one.pk: one for one in versions},
        elos=dict(running.values_list("version", "elo")),
        runs={pk: runs.get(pk) or Run(ladder=ladder, version_id=pk) for pk in players},
        records={row.kind: row for row in Record.objects.filter(ladder=ladder)},
        forms={(row.monday, row.version_id): row for row in weeks},
    )
