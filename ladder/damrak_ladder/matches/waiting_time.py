"""How long the bots on a ladder have waited for a table, stored in their entries.

A ladder's clock advances by 1 / (eligible versions) with every table that is booked. An entry
records when its bot began to wait. While a bot cannot be seated, because it is not connected or
rests, its wait is frozen until it can be seated again.

The caller holds the lock of the turns (pipeline/queue/fair_share.py), so that only one process
does this.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import F

from damrak_ladder.matches.models import Entry, Ladder, Seat


def current_waits(ladder: Ladder, eligible: Collection[int]) -> dict[int, float]:
    """Return the wait of each of these bots, which can be seated now, by primary key.

    The waits of all other bots on the ladder are frozen.
    """
    clock = Ladder.objects.values_list("clock", flat=True).get(pk=ladder.pk)
    waits: dict[int, float] = {}
    changed: list[Entry] = []
    entries = Entry.objects.filter(ladder=ladder, left=None).only("bot_id", "since", "waited")
    for entry in entries:
        if entry.bot_id in eligible:
            since = clock - entry.waited if entry.since is None else entry.since
            if entry.since is None:
                entry.since, entry.waited = since, 0.0
                changed.append(entry)
            waits[entry.bot_id] = max(0.0, clock - since)
        elif entry.since is not None:
            entry.waited = max(0.0, clock - entry.since)
            entry.since = None
            changed.append(entry)
    Entry.objects.bulk_update(changed, ["since", "waited"], batch_size=500)
    return waits


def note_seated(ladder: Ladder, bots: Collection[int], eligible: int) -> None:
    """Count a table of these bots, booked while this many versions were eligible."""
    Ladder.objects.filter(pk=ladder.pk).update(clock=F("clock") + 1 / max(1, eligible))
    clock = Ladder.objects.filter(pk=ladder.pk).values("clock")
    Entry.objects.filter(ladder=ladder, bot__in=bots).update(since=clock, waited=0.0)


def put_first(blocks: Collection[int], wait: float) -> None:
    """Give the bots of these blocks, which were never played, at least this wait."""
    seats = Seat.objects.filter(match__block__in=blocks, match__number=0)
    for ladder, bot in set(seats.values_list("match__block__ladder", "version__bot")):
        Entry.objects.filter(ladder=ladder, bot=bot, waited__lt=wait).update(
            since=None, waited=wait
        )
