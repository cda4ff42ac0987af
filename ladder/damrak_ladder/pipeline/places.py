"""Where blocks can be played: the hosts that are well, and how much room each has."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Max

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.hosts import silent_after
from damrak_ladder.matches.models import Block, BlockState, Host, HostState
from damrak_ladder.pipeline.durations import seconds_per_block

AHEAD: Final = timedelta(seconds=1)
"""A host is told of as many blocks more than it plays at once as will keep it busy for so long, and
of one at least, lest it wait for the next."""

MOST_AHEAD: Final = 4
"""Times what it plays at once: so much at most, however short blocks are."""


@dataclass(slots=True)
class Place:
    """A host that may be given blocks."""

    host: Host
    assigned: int  # blocks that it plays or has been told of
    lobby: frozenset[int]  # the remote versions that wait there
    ahead: int = 1  # so many more than it plays at once it may be told of

    @property
    def room(self) -> int:
        """How many more it may be told of."""
        return max(0, self.host.workers + self.ahead - self.assigned)

    def takes(self, remotes: Collection[int]) -> bool:
        """Whether these remote versions wait there."""
        return self.lobby.issuperset(remotes)


def places(now: datetime) -> list[Place]:
    """The hosts that are trusted, there, and not about to stop; in the order of their names."""
    well = Host.objects.filter(
        state=HostState.TRUSTED,
        last_seen__gte=now - silent_after(),
        capacity__gt=0,
        workers__gt=0,
    )
    counts = dict(
        Block.objects.filter(host__isnull=False, state__in=[BlockState.WAITING, BlockState.RUNNING])
        .values_list("host_id")
        .annotate(Count("pk"))
    )
    hosts = list(well.order_by("name"))
    seconds = seconds_per_block()
    connected = connected_versions({slug for host in hosts for slug in host.waiting})
    return [
        Place(
            host,
            counts.get(host.pk, 0),
            frozenset(connected[slug] for slug in host.waiting if slug in connected),
            _ahead(host.workers, seconds),
        )
        for host in hosts
    ]


def runs_low(host_id: int | None) -> bool:
    """Whether a host has begun half or more of what it was told of ahead."""
    if host_id is None:
        return True
    host = Host.objects.filter(pk=host_id).first()
    if host is None:
        return True
    told = Block.objects.filter(host=host_id, state=BlockState.WAITING).count()
    return told <= max(1, _ahead(host.workers, seconds_per_block()) // 2)


def _ahead(workers: int, seconds: float) -> int:
    fit = workers * AHEAD.total_seconds() / seconds
    return max(1, int(min(fit, MOST_AHEAD * workers)))


def present(there: Iterable[Place]) -> frozenset[int]:
    """The remote versions that wait at any of these."""
    return frozenset().union(*(place.lobby for place in there))


def are_connected(remotes: Collection[int]) -> bool:
    """Whether it is as these remote versions that their bots connect now, wherever."""
    slugs = Version.objects.filter(pk__in=remotes).values_list("bot__slug", flat=True)
    return set(remotes) <= set(connected_versions(set(slugs)).values())


def connected_versions(slugs: Collection[str]) -> dict[str, int]:
    """Which version it is that waits in a lobby as this bot: the latest that connects.

    A new one gets a new token, with which the token of the one before is void.
    """
    remote = Version.objects.filter(kind=Kind.REMOTE, bot__slug__in=slugs)
    return dict(remote.values_list("bot__slug").annotate(Max("pk")))
