"""What an earlier platform left when it was killed."""

from __future__ import annotations

from datetime import datetime, timedelta

from damrak_ladder.matches import attempts
from damrak_ladder.matches.models import Block, BlockState


def end_attempts_of(host: str, now: datetime) -> int:
    """End the attempts of this machine's former workers, of whom none is alive; how many.

    Their leases would run out by themselves, but nobody needs to wait for that.
    """
    theirs = Block.objects.filter(state=BlockState.RUNNING, lease_owner__startswith=f"{host}:")
    if not theirs.update(lease_until=now - timedelta(seconds=1)):
        return 0
    return attempts.reap(now, attempts.patience())
