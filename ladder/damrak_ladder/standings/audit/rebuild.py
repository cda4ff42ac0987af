"""Recalculation of every published number from nothing but the replays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose
from damrak_ladder.standings.audit.comparison import (
    Found,
    Rebuilt,
    compare_fit,
    compare_ledger,
    compare_rows,
    compare_tallies,
)
from damrak_ladder.standings.audit.replay_results import replayed
from damrak_ladder.standings.counts.tallies import add
from damrak_ladder.standings.counts.updates import recorded_outcome
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.models import Counted, Fit, Meeting, Progress, Standing, Tally
from damrak_ladder.standings.packed_blocks import Outcome, pack, unpack
from damrak_ladder.standings.progress import locked

_A_TIME: Final = 2000

Progressed = Callable[[int, int], None]
"""Called with the number of replayed blocks and of all blocks."""


def rebuild(
    ladder: Ladder,
    now: datetime,
    *,
    check: bool = False,
    jobs: int = 1,
    progressed: Progressed = lambda done, of: None,
) -> Rebuilt:
    """Replay all blocks of a ladder, and compare the results with the stored and published values.

    With `check` nothing is changed. Otherwise rows that differ are written again and a fit is
    published, except if the replays of a block are invalid or contradict its results: then nothing
    is changed, because the store may be unavailable, or an operator has to decide about that block.
    The ladder may keep running; blocks that are counted in the meantime are left to the next
    rebuild.
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
        # Blocks that were counted at the start, and those that should have been.
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
    """Return the blocks of a fit as replayed; those counted since the start, as they are stored."""
    rows = Counted.objects.filter(ladder=ladder, serial__lte=fit.serial if fit else 0)
    keys = rows.filter(serial__lte=until).values_list("block", flat=True)
    late = rows.filter(serial__gt=until).values_list("block", "results")
    return sorted(
        [(block, found.rows[block][0]) for block in keys if block in found.rows]
        + [(block, bytes(results)) for block, results in late]
    )


def _repair(ladder: Ladder, found: Found, until: int) -> None:
    """Write the compact rows and the tallies again, in one transaction.

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
