"""Withdrawal of results that cannot be trusted, so that the block is played again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note
from damrak_ladder.matches.models import (
    Attempt,
    Block,
    BlockState,
    MatchTimings,
    Outcome,
    SeatResult,
)
from damrak_ladder.message_codes.message import Message


def withdraw(
    block_id: int,
    attempt: int,
    detail: Message,
    now: datetime,
    unsettle: Callable[[Block, datetime], None],
) -> bool:
    """Withdraw the results of a recorded block, so that it waits to be played again.

    `unsettle` undoes the consequences of the results while they still exist; it is not called for a
    block that was not settled. Replays stay in the store, unused. Returns False if this attempt is
    not recorded.
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
            outcome=Outcome.WITHDRAWN, detail=detail
        )
        recorded.update(
            state=BlockState.WAITING,
            tries=0,
            due=now,
            trouble=detail,
            finished=None,
            settled=None,
            host=None,
            sent=None,
        )
        note(ChangeKind.BLOCK_WITHDRAWN, block_id, now)
    return True
