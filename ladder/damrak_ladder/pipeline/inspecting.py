"""Stored replays, of which some are looked at every night."""

from __future__ import annotations

import logging
import random
from typing import Final

from damrak_ladder.replays.inspection import Finding, inspect_sample

SAMPLE: Final = 200

_log = logging.getLogger(__name__)


def inspect_replays() -> list[Finding]:
    """Verify a sample of all replays that count; what is wrong with them is in the log, too."""
    found = inspect_sample(SAMPLE, random.SystemRandom())
    for finding in found:
        _log.error("replay_wrong", extra={"match": finding.match, "why": finding.problem})
    return found
