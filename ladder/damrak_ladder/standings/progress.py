"""The one row of a ladder that everybody locks who changes what its ratings are made of."""

from __future__ import annotations

from datetime import datetime

from damrak_ladder.standings.models import Progress


def locked(ladder: int) -> Progress:
    """How far the ratings of this ladder are; nobody else changes them in this transaction.

    So blocks of a ladder are counted one after the other, and a higher number means later.
    """
    Progress.objects.bulk_create([Progress(ladder_id=ladder)], ignore_conflicts=True)
    return Progress.objects.select_for_update(no_key=True).get(pk=ladder)


def end_publishing(now: datetime) -> int:
    """Let the ratings of every ladder be published by somebody else; of how many they are not.

    Whoever publishes after all is not disturbed: of two who do, one is turned away in the end.
    """
    return Progress.objects.filter(fitting_until__gt=now).update(fitting_until=now)
