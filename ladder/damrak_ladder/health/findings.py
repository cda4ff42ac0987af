"""Findings of an examination, with their verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from damrak_ladder.health.parts import WELL

Clock = Callable[[], datetime]


class Verdict(StrEnum):
    """The state of a part."""

    WELL = "well"
    DOUBTFUL = "doubtful"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding about a part, and how to fix it."""

    part: str
    verdict: Verdict
    what: str
    cure: str = ""


def finding_of(part: str, look: Callable[[datetime], str], now: datetime, cure: str) -> Finding:
    """Check a part; the cure is included if it is not well."""
    found = look(now)
    if found == WELL:
        return Finding(part, Verdict.WELL, "well")
    return Finding(part, Verdict.WRONG, found, cure)
