"""Announced games: ladder blocks that wait for a known time, so that people can predict them.

Most blocks start and end within seconds of being booked, so that hardly any prediction would arrive
before their results are public. A few blocks at a time are therefore postponed. Nothing about
their games is decided before they start.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, QuerySet

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.models import Block, BlockState, Purpose, Seat
from damrak_ladder.standings.models import Running

ANNOUNCED: Final = 3
"""The number of games that are announced at a time."""

SPACING: Final = timedelta(seconds=40)
"""The time between the starts of announced games."""


def announced(now: datetime) -> QuerySet[Block]:
    """Return the announced blocks that are not due yet, the next one first."""
    waiting = Block.objects.filter(state=BlockState.WAITING, attempt=0, purpose=Purpose.LADDER)
    return waiting.filter(due__gt=now).order_by("due", "pk")


def announce(now: datetime) -> bool:
    """Postpone one waiting block, unless enough are announced; return whether one was.

    It is the one that was booked last, because the others are more urgent. Remote bots may
    disconnect, and authors wait for the first games of new versions, so blocks with either are not
    postponed.
    """
    seats = Seat.objects.filter(match__block=OuterRef("pk"))
    remote = seats.filter(version__kind=Kind.REMOTE)
    rated = Running.objects.filter(
        ladder=OuterRef("match__block__ladder"), version=OuterRef("version")
    )
    new = seats.filter(~Exists(rated))
    with transaction.atomic():
        coming = announced(now)
        if coming.count() >= ANNOUNCED:
            return False
        last = coming.aggregate(last=Max("due"))["last"] or now
        free = Block.objects.filter(
            ~Exists(remote),
            ~Exists(new),
            state=BlockState.WAITING,
            attempt=0,
            purpose=Purpose.LADDER,
            host=None,
            due__lte=now,
            due=F("created"),  # it was not announced before
        )
        chosen = list(free.order_by("-pk").values_list("pk", flat=True)[:1])
        # A host may have taken the block in the meantime.
        untaken = Block.objects.filter(pk__in=chosen, state=BlockState.WAITING, host=None)
        return bool(untaken.update(due=last + SPACING))
