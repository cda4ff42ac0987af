"""Where blocks can be played: the hosts that are well, and how much room each has."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Max

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.models import Block, BlockState, Host, HostState

SILENT_AFTER: Final = timedelta(seconds=20)
"""A host that has not been heard for so long gets nothing, and what it had is given to others."""

AHEAD: Final = 1
"""So many blocks more than it plays at once a host is told of, lest it wait for the next."""


@dataclass(slots=True)
class Place:
    """A host that may be given blocks."""

    host: Host
    assigned: int  # blocks that it plays or has been told of
    lobby: frozenset[int]  # the remote versions that wait there

    @property
    def room(self) -> int:
        """How many more it may be told of."""
        return max(0, self.host.workers + AHEAD - self.assigned)

    def takes(self, remotes: Collection[int]) -> bool:
        """Whether these remote versions wait there."""
        return self.lobby.issuperset(remotes)


def places(now: datetime) -> list[Place]:
    """The hosts that are trusted, there, and not about to stop; in the order of their names."""
    well = Host.objects.filter(
        state=HostState.TRUSTED,
        last_seen__gte=now - SILENT_AFTER,
        capacity__gt=0,
        workers__gt=0,
    )
    counts = dict(
        Block.objects.filter(host__isnull=False, state__in=[BlockState.WAITING, BlockState.RUNNING])
        .values_list("host_id")
        .annotate(Count("pk"))
    )
    hosts = list(well.order_by("name"))
    connected = connected_versions({slug for host in hosts for slug in host.waiting})
    return [
        Place(
            host,
            counts.get(host.pk, 0),
            frozenset(connected[slug] for slug in host.waiting if slug in connected),
        )
        for host in hosts
    ]


def present(there: Iterable[Place]) -> frozenset[int]:
    """The remote versions that wait at any of these."""
    return frozenset().union(*(place.lobby for place in there))


def connected_versions(slugs: Collection[str]) -> dict[str, int]:
    """Which version it is that waits in a lobby as this bot: the latest that connects.

    A new one gets a new token, with which the token of the one before is void.
    """
    remote = Version.objects.filter(kind=Kind.REMOTE, bot__slug__in=slugs)
    return dict(remote.values_list("bot__slug").annotate(Max("pk")))
