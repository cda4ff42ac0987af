"""Blocks that nobody looks after any more."""

from __future__ import annotations

from datetime import datetime

from damrak_ladder.matches import attempts


def reap(now: datetime) -> int:
    """End attempts whose worker has fallen silent; how many there were."""
    return attempts.reap(now, attempts.patience())
