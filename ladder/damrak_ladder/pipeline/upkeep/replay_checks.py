"""Nightly verification of a sample of stored replays."""

from __future__ import annotations

import logging
import random
from datetime import datetime
from typing import Final

from damrak_ladder.notices import texts
from damrak_ladder.notices.creation import tell_staff
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.replays.inspection import Finding, inspect_sample

SAMPLE: Final = 200

_SHOWN: Final = 10

_log = logging.getLogger(__name__)


def inspect_replays(now: datetime) -> list[Finding]:
    """Verify a random sample of the replays in use; log any problems and notify staff."""
    found = inspect_sample(SAMPLE, random.SystemRandom())
    for finding in found:
        _log.error("replay_wrong", extra={"match": finding.match, "why": finding.problem})
    if found:
        shown = [f"{finding.match}: {finding.problem}" for finding in found[:_SHOWN]]
        tell_staff(
            Kind.REPLAYS_WRONG,
            f"replays:{now.date().isoformat()}",
            *texts.replays_wrong(len(found), SAMPLE, "\n".join(shown)),
            f"/matches/{found[0].match}/",
            now,
        )
    return found
