"""Results that are taken back, because they cannot be trusted, and the block played again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from damrak_ladder.matches.models import (
    Attempt,
    Block,
    BlockState,
    MatchTimings,
    Outcome,
    SeatResult,
)


def withdraw(
    block_id: int,
    attempt: int,
    detail: str,
    now: datetime,
    unsettle: Callable[[Block, datetime], None],
) -> bool:
    """Let a recorded block wait again as if it had not been recorded; False if it is not, by that
    attempt.

    `unsettle` undoes what has followed from the results, while they are still there; it is not
    called for a block that nothing has followed from. Replays stay where they are, unused.
    """
    with transaction.atomic():
        recorded = Block.objects.filter(pk=block_id, state=BlockState.RECORDED, attempt=attempt)
        block = recorded.select_for_update(no_key=True).first()
        if block is None:
            return False
        if block.settled is not None:
            unsettle(block, now)
        SeatResult.objects.filter(seat__match__block=block_id).delete()
        MatchTimings.objects.filter(match__block=block_id).delete()
        block.matches.update(replay="")
        Attempt.objects.filter(block=block_id, number=attempt).update(
            outcome=Outcome.WITHDRAWN, detail=detail[:500]
        )
        recorded.update(
            state=BlockState.WAITING,
            tries=0,
            due=now,
            trouble=detail[:500],
            finished=None,
            settled=None,
            host=None,
            sent=None,
        )
    return True
