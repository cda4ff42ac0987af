"""Recent activity of the hosts: games per hour, where the time went, and failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Q

from damrak_ladder.matches.models import (
    Attempt,
    BlockState,
    Host,
    MatchTimings,
    Outcome,
)
from damrak_ladder.matches.timings import unpack
from damrak_ladder.tournaments.visibility import visible, visible_blocks, visible_matches

HOURS: Final = 24
TIMED: Final = 24
"""The number of latest games that the shares of time are computed from."""

FAILURES: Final = 12
_NOT_RECORDED: Final = [state for state in BlockState if state != BlockState.RECORDED]
_FAILED: Final = (Outcome.VOID, Outcome.EXPIRED, Outcome.WITHDRAWN)


@dataclass(frozen=True, slots=True)
class Shares:
    """How the time of decisions divides, in shares of 1."""

    thinking: float
    transport: float
    queue: float
    decisions: int


def blocks_by_hour(hosts: Sequence[Host], now: datetime) -> dict[int, list[int]]:
    """Return the blocks recorded by each of these hosts in each of the last 24 hours, latest last.

    It takes one range of an index per host.
    """
    begins = [now - timedelta(hours=back) for back in range(HOURS, 0, -1)]
    recent = visible_blocks(None).filter(
        host__in=[host.pk for host in hosts],
        state=BlockState.RECORDED,
        finished__gte=begins[0],
        finished__lt=now,
    )
    counts = {
        f"hour_{at}": Count(
            "pk", filter=Q(finished__gte=begin, finished__lt=begin + timedelta(hours=1))
        )
        for at, begin in enumerate(begins)
    }
    found = {host.pk: [0] * HOURS for host in hosts}
    for host, *hours in recent.order_by().values_list("host").annotate(**counts):
        found[host] = hours
    return found


def games_since(since: datetime) -> dict[int, int]:
    """Return the number of games that each host has played since then."""
    recent = visible_matches(None).filter(
        block__state=BlockState.RECORDED, block__finished__gte=since
    )
    counted = recent.exclude(block__host=None).values_list("block__host")
    return dict(counted.annotate(count=Count("pk")))


def shares_of_hosts() -> dict[int, Shares]:
    """Return the shares of time in the latest games by host; key 0 holds all hosts together."""
    sums: dict[int, list[int]] = {}
    latest = visible(MatchTimings, None).order_by("-pk").values_list("match__block__host", "data")
    for host, data in latest[:TIMED]:
        timings = unpack(bytes(data))
        whole, thinking, queue = (
            sum(column) for column in (timings.total_us, timings.think_us, timings.queue_us)
        )
        for key in {0, host or 0}:
            into = sums.setdefault(key, [0, 0, 0, 0])
            for at, value in enumerate((whole, thinking, queue, len(timings.seats))):
                into[at] += value
    return {
        key: Shares(
            thinking / whole, max(0, whole - thinking - queue) / whole, queue / whole, count
        )
        for key, (whole, thinking, queue, count) in sums.items()
        if whole
    }


def unrecorded_blocks() -> dict[str, int]:
    """Return the number of blocks in each state but recorded."""
    open_blocks = visible_blocks(None).filter(state__in=_NOT_RECORDED)
    return dict(open_blocks.values_list("state").annotate(count=Count("pk")))


def failures() -> list[Attempt]:
    """Return the latest failed attempts, the newest first.

    They are read in the order of an index of failures, so that neither successful nor hidden
    attempts shorten the list.
    """
    found = visible(Attempt, None).select_related("host").order_by("-pk")
    latest = [one for outcome in _FAILED for one in found.filter(outcome=outcome)[:FAILURES]]
    return sorted(latest, key=lambda one: one.pk, reverse=True)[:FAILURES]
