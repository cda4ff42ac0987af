"""Whether this machine's clock and the database's show the same.

Leases and heartbeats are written by the clock of one machine and read by those of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import connection

MOST_LEAD: Final = timedelta(seconds=5)
"""So far clocks may be apart: a twelfth of the usual lease."""

SAMPLES: Final = 3
_ZERO: Final = timedelta(0)


@dataclass(frozen=True, slots=True)
class Offset:
    """By how much our clock is ahead, measured as NTP does; the truth is within the uncertainty."""

    value: timedelta
    uncertainty: timedelta

    @property
    def proven(self) -> timedelta:
        """The part that exceeds the uncertainty: 0 if the clocks may agree."""
        if self.value > _ZERO:
            return max(_ZERO, self.value - self.uncertainty)
        return min(_ZERO, self.value + self.uncertainty)


def clock_offset() -> Offset:
    """Measure the offset a few times; the quickest answer is the most certain.

    Raises:
        DatabaseError: it does not answer.
    """
    if connection.vendor != "postgresql":
        return Offset(_ZERO, _ZERO)  # a file on this machine has no clock
    with connection.cursor() as cursor:  # it connects now, and not while we measure
        found = []
        for _ in range(SAMPLES):
            asked = datetime.now(UTC)
            cursor.execute("SELECT clock_timestamp()")
            theirs: datetime = cursor.fetchone()[0]
            answered = datetime.now(UTC)
            found.append(offset_of(asked, theirs, answered))
    return min(found, key=lambda offset: offset.uncertainty)


def offset_of(asked: datetime, theirs: datetime, answered: datetime) -> Offset:
    """The offset that follows from one answer: theirs was read between the two times of ours."""
    half = max(_ZERO, answered - asked) / 2
    return Offset(asked + half - theirs, half)


def clock_lead() -> timedelta:
    """By how much ours is ahead for certain; below 0 if it is behind.

    Raises:
        DatabaseError: it does not answer.
    """
    return clock_offset().proven
