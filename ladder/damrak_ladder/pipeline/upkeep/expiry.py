"""Expiry of attempts whose worker is gone, and notices of blocks that could not be played."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from damrak_ladder.matches import attempts
from damrak_ladder.matches.models import Block, BlockState, Purpose
from damrak_ladder.message_codes import block_codes as codes
from damrak_ladder.notices import texts
from damrak_ladder.notices.creation import tell_staff, untold_staff
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.pipeline.outcome.qualification import stuck

_FRESH: Final = timedelta(hours=1)
_MOST: Final = 100

_log = logging.getLogger(__name__)


def reap(now: datetime) -> int:
    """Expire attempts whose lease has run out, and notify staff of dead blocks.

    Returns the number of expired attempts.
    """
    patience = attempts.patience()
    if wrong := attempts.set_right(now, patience):
        _log.warning("clock_set_back", extra={"blocks": wrong})
    expired = attempts.reap(now, patience)
    # This also covers blocks whose process was killed before it sent the notice.
    # Games of people are excluded, because the people have left: they are not queued again.
    dead = Block.objects.filter(state=BlockState.DEAD, due__gt=now - _FRESH).order_by("-due")
    dead = dead.exclude(purpose=Purpose.PLAY)
    found = {_key(block): block for block in dead.select_related("subject")[:_MOST]}
    untold = untold_staff(found)
    for key, block in found.items():
        if block.purpose == Purpose.QUALIFICATION:
            stuck(block, now)
        if key in untold:
            said = texts.dead_block(block.pk, block.tries, block.trouble or codes.WorkerSilent())
            tell_staff(Kind.DEAD_BLOCK, key, *said, f"/blocks/{block.pk}/", now)
    return expired


def _key(block: Block) -> str:
    return f"dead:{block.pk}:{block.attempt}"
