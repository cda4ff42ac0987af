"""What follows from a recorded block, exactly once, whoever does it and however often."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import OperationalError, transaction

from damrak_ladder.matches.models import Block, BlockState, Purpose
from damrak_ladder.pipeline import benching, qualifying
from damrak_ladder.standings.absorbing import absorb, withdraw
from damrak_ladder.trials.canaries import settle_canary
from damrak_ladder.trials.sequential import settle_test, unsettle_test

_log = logging.getLogger(__name__)


def settle(block_id: int, now: datetime) -> bool:
    """Do what follows from a recorded block; False if it has been done, or is not due.

    It is one transaction, which begins by claiming the block: of many who settle it at once, one
    does.
    """
    with transaction.atomic():
        claimed = Block.objects.filter(pk=block_id, state=BlockState.RECORDED, settled=None).update(
            settled=now
        )
        if not claimed:
            return False
        block = Block.objects.select_related("ladder", "subject__bot__owner").get(pk=block_id)
        _SETTLERS[Purpose(block.purpose)](block, now)
    return True


def unsettle(block: Block, now: datetime) -> None:
    """Undo what followed from a block whose results are taken back, while they are still there.

    It is part of the caller's transaction. Whoever failed or was benched because of them is as
    before; whoever has qualified stays so, and a test that has ended keeps its verdict.
    """
    match Purpose(block.purpose):
        case Purpose.LADDER:
            withdraw(block)
            benching.reconsider(block, now)
        case Purpose.TEST:
            unsettle_test(block)
        case Purpose.QUALIFICATION:
            qualifying.reconsider(block, now)
        case Purpose.CANARY | Purpose.TOURNAMENT:
            pass
    Block.objects.filter(pk=block.pk).update(settled=None)


def settle_leftovers(now: datetime, most: int = 200) -> int:
    """Settle what nobody has settled, the longest finished first; how many blocks."""
    left = Block.objects.filter(state=BlockState.RECORDED, settled=None).order_by("finished")
    settled = 0
    for block_id in list(left.values_list("pk", flat=True)[:most]):
        try:
            settled += settle(block_id, now)
        except OperationalError:
            raise  # the database is away, or busy: for the others, too
        except Exception:  # noqa: BLE001  # one block must not keep those behind it from theirs
            _log.exception("block_not_settled", extra={"block": block_id})
    return settled


def _settle_ladder(block: Block, now: datetime) -> None:
    absorb(block)
    benching.check(block, now)


def _settle_tournament(block: Block, now: datetime) -> None:
    """Tournaments read the results of their blocks themselves."""


_SETTLERS: Final[dict[Purpose, Callable[[Block, datetime], None]]] = {
    Purpose.LADDER: _settle_ladder,
    Purpose.QUALIFICATION: qualifying.settle,
    Purpose.CANARY: settle_canary,
    Purpose.TEST: settle_test,
    Purpose.TOURNAMENT: _settle_tournament,
}
