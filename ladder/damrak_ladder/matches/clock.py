"""The offset between this machine's clock and the database's.

Leases and heartbeats are written by the clock of one machine and read by those of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import connection

MOST_LEAD: Final = timedelta(seconds=5)
"""The largest tolerated offset: a twelfth of the usual lease."""

SAMPLES: Final = 3
_ZERO: Final = timedelta(0)


@dataclass(frozen=True, slots=True)
class Offset:
    """The lead of our clock, measured as NTP does; the true value is within the uncertainty."""

    value: timedelta
    uncertainty: timedelta

    @property
    def proven(self) -> timedelta:
        """Return the part that exceeds the uncertainty: 0 if the clocks may agree."""
        if self.value > _ZERO:
            return max(_ZERO, self.value - self.uncertainty)
        return min(_ZERO, self.value + self.uncertainty)


def clock_offset() -> Offset:
    """Measure the offset a few times; return the sample with the least uncertainty.

    Raises:
        DatabaseError: the database does not answer.
    """
    if connection.vendor != "postgresql":
        return Offset(_ZERO, _ZERO)  # SQLite uses the clock of this machine
    with connection.cursor() as cursor:  # connects now, not during the measurement
        found = []
        for _ in range(SAMPLES):
            asked = datetime.now(UTC)
            cursor.execute("SELECT clock_timestamp()")
            theirs: datetime = cursor.fetchone()[0]
            answered = datetime.now(UTC)
            found.append(offset_of(asked, theirs, answered))
    return min(found, key=lambda offset: offset.uncertainty)


def offset_of(asked: datetime, theirs: datetime, answered: datetime) -> Offset:
    """Return the offset of one sample: `theirs` was read between our two times."""
    half = max(_ZERO, answered - asked) / 2
    return Offset(asked + half - theirs, half)


def clock_lead() -> timedelta:
    """Return the proven lead of our clock; negative if it is behind.

    Raises:
        DatabaseError: the database does not answer.
    """
    return clock_offset().proven
