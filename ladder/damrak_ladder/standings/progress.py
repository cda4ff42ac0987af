"""The row of a ladder that serialises all changes to the data of its ratings."""

from __future__ import annotations

from datetime import datetime

from damrak_ladder.standings.models import Progress


def locked(ladder: int) -> Progress:
    """Lock and return the progress of this ladder until the end of the transaction.

    So blocks of a ladder are counted one after the other, and a higher number means later.
    """
    Progress.objects.bulk_create([Progress(ladder_id=ladder)], ignore_conflicts=True)
    return Progress.objects.select_for_update(no_key=True).get(pk=ladder)


def end_publishing(now: datetime) -> int:
    """End the leases for publishing, so that other processes can publish. Return their number.

    A publisher that is still running is not interrupted: if two finish, the second one is rejected.
    """
    return Progress.objects.filter(fitting_until__gt=now).update(fitting_until=now)
