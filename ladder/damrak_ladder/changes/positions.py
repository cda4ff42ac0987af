"""Positions of changes, assigned in the order of commits, and the deletion of old changes.

Keys of rows are assigned before their transactions commit, so a transaction that commits late may
add a row with a smaller key than those that have been read. So readers follow positions: a process
that reads first assigns them to all committed rows without one, under a lock that it holds until
its own commit. A row that becomes visible later gets a greater position.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction

from damrak_ladder.changes.models import Change, ChangeClock

A_TIME: Final = 1000
_CLOCK: Final = 1


def reach() -> tuple[int, int]:
    """Number new changes; return the last position, and the last one that has been deleted."""
    while Change.objects.filter(position=None).exists() and _number() == A_TIME:
        pass
    clock = ChangeClock.objects.filter(pk=_CLOCK).first()
    return (0, 0) if clock is None else (clock.last, clock.forgotten)


def forget_changes(before: datetime) -> int:
    """Delete the changes before this time; return their number. Their positions are not reused."""
    reach()
    forgotten = 0
    while True:
        with transaction.atomic():
            clock = _locked()
            following = Change.objects.filter(position__gt=clock.forgotten).order_by("position")
            rows = list(following.values_list("pk", "position", "at")[:A_TIME])
            old = []
            for row in rows:
                if row[2] >= before:
                    break
                old.append(row)
            if not old:
                return forgotten
            clock.forgotten = old[-1][1] or 0  # only numbered rows were read
            clock.save(update_fields=["forgotten"])
            Change.objects.filter(pk__in=[row[0] for row in old]).delete()
        forgotten += len(old)


def _number() -> int:
    with transaction.atomic():
        clock = _locked()
        new = list(Change.objects.filter(position=None).order_by("pk")[:A_TIME])
        for place, change in enumerate(new, clock.last + 1):
            change.position = place
        Change.objects.bulk_update(new, ["position"], batch_size=200)
        clock.last += len(new)
        clock.save(update_fields=["last"])
    return len(new)


def _locked() -> ChangeClock:
    ChangeClock.objects.get_or_create(pk=_CLOCK)
    return ChangeClock.objects.select_for_update().get(pk=_CLOCK)
