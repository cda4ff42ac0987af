"""Whether this machine's clock and the database's show the same.

Leases and signs of life are written by the clock of one machine and read by those of others.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import connection

MOST_LEAD: Final = timedelta(seconds=5)
"""So far clocks may be apart: a twelfth of the usual lease."""


def clock_lead() -> timedelta:
    """By how much ours is ahead; below 0 if it is behind, 0 if one cannot tell.

    Raises:
        DatabaseError: it does not answer.
    """
    if connection.vendor != "postgresql":
        return timedelta(0)  # a file on this machine has no clock
    with connection.cursor() as cursor:
        asked = datetime.now(UTC)
        cursor.execute("SELECT clock_timestamp()")
        theirs: datetime = cursor.fetchone()[0]
        answered = datetime.now(UTC)
    if asked > theirs:
        return asked - theirs
    return min(answered - theirs, timedelta(0))
