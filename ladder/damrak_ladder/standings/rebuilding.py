"""Every published number once more, from nothing but the replays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose
from damrak_ladder.standings.absorbing import recorded_outcome
from damrak_ladder.standings.comparing import (
    Found,
    Rebuilt,
    compare_fit,
    compare_ledger,
    compare_rows,
    compare_tallies,
)
from damrak_ladder.standings.counting import add
from damrak_ladder.standings.models import Counted, Fit, Meeting, Progress, Standing, Tally
from damrak_ladder.standings.packing import Outcome, pack, unpack
from damrak_ladder.standings.progress import locked
from damrak_ladder.standings.publishing import publish
from damrak_ladder.standings.replayed import replayed

_A_TIME: Final = 2000

Progressed = Callable[[int, int], None]
"""Told how many of how many blocks have been replayed."""


def rebuild(
    ladder: Ladder,
    now: datetime,
    *,
    check: bool = False,
    jobs: int = 1,
    progressed: Progressed = lambda done, of: None,
) -> Rebuilt:
    """Replay all blocks of a ladder, and compare what follows with what is stored and published.

    With `check` nothing is changed. Else rows that differ are made anew and a fit is published,
    unless the replays of a block are no good, or its results others than theirs: then nothing is.
    It may be the store that is away, or somebody has to decide what becomes of that block.
    The ladder may go on meanwhile; blocks that are counted on the way are left to the next time.
    """
    result = Rebuilt(ladder.slug)
    until = _serial(ladder)
    found = _replay(ladder, until, result, jobs, progressed)
    compare_rows(ladder, found, until, result)
    compare_tallies(ladder, found, until, result)
    with transaction.atomic():
        progress = locked(ladder.pk)
        fit = Fit.objects.filter(ladder=ladder, number=progress.fit).first()
        standings = list(Standing.objects.filter(ladder=ladder, blocks__gt=0))
        fitted = _fitted(ladder, fit, found, until)
        compare_ledger(ladder, standings, result)
    if fit is not None:
        result.fit = fit.number
        if len(fitted) == fit.blocks:
            compare_fit(ladder, progress, fit, standings, fitted, result)
        elif not result.unfounded:
            result.differences.append(
                f"fit {fit.number}: {fit.blocks - len(fitted)} of its blocks count no longer; "
                "a new fit is due"
            )
    elif standings:
        result.differences.append("there are standings and no fit")
    if not check and result.differences and not result.unfounded:
        _repair(ladder, found, until)
        publish(ladder, now, force=True)
        result.is_repaired = True
    return result


def _serial(ladder: Ladder) -> int:
    return (Progress.objects.filter(pk=ladder.pk).first() or Progress()).serial


def _replay(
    ladder: Ladder, until: int, result: Rebuilt, jobs: int, progressed: Progressed
) -> Found:
    counted = Counted.objects.filter(block=OuterRef("pk"))
    blocks = Block.objects.filter(
        ladder=ladder, purpose=Purpose.LADDER, state=BlockState.RECORDED
    ).filter(
        # Those that were counted when we began, and those that should have been.
        Exists(counted.filter(serial__lte=until)) | (Q(settled__isnull=False) & ~Exists(counted))
    )
    keys = list(blocks.order_by("pk").values_list("pk", flat=True))
    found = Found()
    for done, one in enumerate(replayed(keys, jobs), start=1):
        if one.outcome is None:
            result.unfounded.append(f"block {one.block}: {one.problem}")
        else:
            found.rows[one.block] = pack(one.outcome)
            if recorded_outcome(one.block) != one.outcome:
                result.unfounded.append(f"block {one.block}: its match pages show other results")
        progressed(done, len(keys))
    result.blocks = len(keys)
    return found


def _fitted(ladder: Ladder, fit: Fit | None, found: Found, until: int) -> list[tuple[int, bytes]]:
    """The blocks of a fit as replayed; those counted since we began, as they are stored."""
    rows = Counted.objects.filter(ladder=ladder, serial__lte=fit.serial if fit else 0)
    keys = rows.filter(serial__lte=until).values_list("block", flat=True)
    late = rows.filter(serial__gt=until).values_list("block", "results")
    return sorted(
        [(block, found.rows[block][0]) for block in keys if block in found.rows]
        + [(block, bytes(results)) for block, results in late]
    )


def _repair(ladder: Ladder, found: Found, until: int) -> None:
    """Make the compact rows and the tallies anew, in one transaction.

    With a long history that takes minutes, in which no block is counted; those are settled later.
    """
    with transaction.atomic():
        progress = locked(ladder.pk)
        stored = dict(
            Counted.objects.filter(ladder=ladder, serial__lte=until).values_list("block", "serial")
        )
        Counted.objects.filter(
            pk__in=[block for block in stored if block not in found.rows]
        ).delete()
        missing = [block for block in sorted(found.rows) if block not in stored]
        for block in missing:
            progress.serial += 1
            stored[block] = progress.serial
        Counted.objects.bulk_create(
            [
                Counted(
                    block_id=block,
                    ladder=ladder,
                    serial=stored[block],
                    results=results,
                    points=points,
                )
                for block, (results, points) in sorted(found.rows.items())
            ],
            batch_size=_A_TIME,
            update_conflicts=True,
            unique_fields=["block"],
            update_fields=["results", "points"],
        )
        Tally.objects.filter(ladder=ladder).delete()
        Meeting.objects.filter(ladder=ladder).delete()
        counted = Counted.objects.filter(ladder=ladder).order_by("serial")
        some: list[Outcome] = []
        for results, points in counted.values_list("results", "points"):
            some.append(unpack(bytes(results), bytes(points)))
            if len(some) == _A_TIME:
                add(ladder.pk, some)
                some = []
        add(ladder.pk, some)
        progress.blocks = counted.count()
        progress.save(update_fields=["serial", "blocks"])
