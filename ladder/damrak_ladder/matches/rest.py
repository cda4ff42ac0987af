"""Versions that rest because their blocks keep failing."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Final

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.models import BlockState, Ladder, Seat

DEAD_IN_A_ROW: Final = 3
REST: Final = timedelta(hours=1)


def resting(ladder: Ladder, now: datetime) -> set[int]:
    """Return the versions whose latest blocks on a ladder are all dead, for an hour afterwards.

    Such a version, for example one with a lost archive, never gets a result, so it would remain the
    most uncertain one and be seated again and again. House bots do not rest, so that a ladder on
    which everything fails is retried continually.
    """
    seats = Seat.objects.filter(match__number=0, match__block__ladder=ladder)
    lately = seats.filter(match__block__state=BlockState.DEAD, match__block__created__gt=now - REST)
    lately = lately.exclude(version__kind=Kind.HOUSE)
    dead: dict[int, list[int]] = defaultdict(list)
    for version, block in lately.values_list("version_id", "match__block_id"):
        dead[version].append(block)
    found = set()
    for version, blocks in dead.items():
        if len(blocks) < DEAD_IN_A_ROW:
            continue
        oldest = sorted(blocks)[-DEAD_IN_A_ROW]
        played = seats.filter(
            version_id=version, match__block__state=BlockState.RECORDED, match__block_id__gt=oldest
        )
        if not played.exists():
            found.add(version)
    return found
