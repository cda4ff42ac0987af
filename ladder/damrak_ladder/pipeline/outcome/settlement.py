"""Settlement of recorded blocks: their consequences take effect exactly once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import OperationalError, transaction

from damrak_ladder.matches.models import Block, BlockState, Purpose
from damrak_ladder.pipeline.outcome import bench, qualification
from damrak_ladder.standings.counts.updates import absorb, withdraw
from damrak_ladder.tournaments.pairing_blocks import settle_tournament, unsettle_tournament
from damrak_ladder.trials.canaries import settle_canary
from damrak_ladder.trials.trials import settle_test, unsettle_test

_log = logging.getLogger(__name__)


def settle(block_id: int, now: datetime) -> bool:
    """Settle a recorded block; return False if it is already settled, or not recorded.

    All happens in one transaction, which begins by claiming the block: of concurrent callers, only
    one proceeds.
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
    """Undo the consequences of a block whose results are being withdrawn, while they still exist.

    Must run in the caller's transaction. Versions that failed or were benched because of these
    results are restored; versions that qualified stay qualified, and a test that has ended keeps
    its verdict.
    """
    match Purpose(block.purpose):
        case Purpose.LADDER:
            withdraw(block)
            bench.reconsider(block, now)
        case Purpose.TEST:
            unsettle_test(block)
        case Purpose.QUALIFICATION:
            qualification.reconsider(block, now)
        case Purpose.TOURNAMENT:
            unsettle_tournament(block, now)
        case Purpose.CANARY | Purpose.PLAY:
            pass
    Block.objects.filter(pk=block.pk).update(settled=None)


def settle_leftovers(now: datetime, most: int = 200) -> int:
    """Settle recorded blocks that are still unsettled, oldest first; return the number settled."""
    left = Block.objects.filter(state=BlockState.RECORDED, settled=None).order_by("finished")
    settled = 0
    for block_id in list(left.values_list("pk", flat=True)[:most]):
        try:
            settled += settle(block_id, now)
        except OperationalError:
            raise  # the database is unreachable or busy, which affects all blocks
        except Exception:  # noqa: BLE001  # one block must not stop those after it
            _log.exception("block_not_settled", extra={"block": block_id})
    return settled


def _settle_nothing(_block: Block, _now: datetime) -> None:
    """A game of people has no consequences."""


def _settle_ladder(block: Block, now: datetime) -> None:
    absorb(block)
    bench.check(block, now)


_SETTLERS: Final[dict[Purpose, Callable[[Block, datetime], None]]] = {
    Purpose.LADDER: _settle_ladder,
    Purpose.QUALIFICATION: qualification.settle,
    Purpose.CANARY: settle_canary,
    Purpose.TEST: settle_test,
    Purpose.TOURNAMENT: settle_tournament,
    Purpose.PLAY: _settle_nothing,
}
