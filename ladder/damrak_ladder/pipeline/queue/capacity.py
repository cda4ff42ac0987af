"""The capacity of hosts: which are healthy, and how many blocks each can take."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Max

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.durations import seconds_per_block
from damrak_ladder.matches.hosts import silent_after
from damrak_ladder.matches.models import Block, BlockState, Host, HostState, Purpose

AHEAD: Final = timedelta(seconds=1)
"""A host is sent enough blocks beyond those it plays to keep it busy for this long, and at least
one, so that it does not idle."""

MOST_AHEAD: Final = 4
"""The upper limit of blocks sent ahead, as a multiple of those played at once."""


@dataclass(slots=True)
class Place:
    """A host that may be given blocks."""

    host: Host
    assigned: int  # blocks that it plays or has been sent
    lobby: frozenset[int]  # the remote versions waiting there
    ahead: int = 1  # how many blocks may be sent ahead

    @property
    def room(self) -> int:
        """Return how many more blocks the host may be sent."""
        return max(0, self.host.workers + self.ahead - self.assigned)

    def takes(self, remotes: Collection[int]) -> bool:
        """Return whether all these remote versions wait at this host."""
        return self.lobby.issuperset(remotes)


def places(now: datetime) -> list[Place]:
    """Return the hosts that are trusted, reachable and not shutting down, in order of name."""
    well = Host.objects.filter(
        state=HostState.TRUSTED,
        last_seen__gte=now - silent_after(),
        capacity__gt=0,
        workers__gt=0,
    )
    counts = dict(
        Block.objects.filter(host__isnull=False, state__in=[BlockState.WAITING, BlockState.RUNNING])
        .exclude(purpose=Purpose.PLAY)  # no worker is busy with them
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
    """Return whether a host has begun half or more of the blocks sent ahead."""
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
    """Return the remote versions that wait at any of these hosts."""
    return frozenset().union(*(place.lobby for place in there))


def are_connected(remotes: Collection[int]) -> bool:
    """Return whether these remote versions are the ones that their bots' tokens belong to now."""
    slugs = Version.objects.filter(pk__in=remotes).values_list("bot__slug", flat=True)
    return set(remotes) <= set(connected_versions(set(slugs)).values())


def connected_versions(slugs: Collection[str]) -> dict[str, int]:
    """Return for each bot the version that waits in a lobby under its name: the latest remote one.

    A new version gets a new token, which revokes that of the one before.
    """
    remote = Version.objects.filter(kind=Kind.REMOTE, bot__slug__in=slugs)
    return dict(remote.values_list("bot__slug").annotate(Max("pk")))
