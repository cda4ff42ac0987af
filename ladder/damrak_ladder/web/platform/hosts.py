"""The page of hosts, and of the state of the platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from damrak_ladder.matches.hosts import HostStatus, status_of
from damrak_ladder.matches.models import BlockState, Host
from damrak_ladder.profiles.activity import (
    HOURS,
    Shares,
    blocks_by_hour,
    failures,
    games_since,
    shares_of_hosts,
    unrecorded_blocks,
)
from damrak_ladder.web.site.access import may_see_trouble

_WIDTH, _HEIGHT = 96.0, 24.0


@dataclass(frozen=True, slots=True)
class Hours:
    """Blocks recorded in each of the last 24 hours, the latest last."""

    counts: Sequence[int]

    @property
    def total(self) -> int:
        """Return the number of blocks in all hours."""
        return sum(self.counts)

    @property
    def bars(self) -> list[tuple[str, str, str]]:
        """Return the left edge, top and height of each bar."""
        most = max(self.counts, default=0) or 1
        step = _WIDTH / HOURS
        heights = [count / most * _HEIGHT for count in self.counts]
        return [
            (f"{at * step:.1f}", f"{_HEIGHT - height:.1f}", f"{height:.1f}")
            for at, height in enumerate(heights)
        ]


@dataclass(frozen=True, slots=True)
class HostShown:
    """A host and its activity."""

    host: Host
    games: int  # in the last hour
    hours: Hours
    shares: Shares | None
    is_silent: bool


def hosts(request: HttpRequest) -> HttpResponse:
    """Show the machines with a referee: their last day, their speed, and their failures."""
    now = timezone.now()
    rows = list(Host.objects.order_by("name"))
    games = games_since(now - timedelta(hours=1))
    hours = blocks_by_hour(rows, now)
    shares = shares_of_hosts()
    counts = unrecorded_blocks()
    context = {
        "hosts": [
            HostShown(
                host,
                games.get(host.pk, 0),
                Hours(hours[host.pk]),
                shares.get(host.pk),
                is_silent=status_of(host, now) is HostStatus.SILENT,
            )
            for host in rows
        ],
        "waiting": counts.get(BlockState.WAITING, 0),
        "running": counts.get(BlockState.RUNNING, 0),
        "dead": counts.get(BlockState.DEAD, 0),
        "games": sum(games.values()),
        "shares": shares.get(0),
        "failures": failures(),
        "has_details": may_see_trouble(request.user),
    }
    return render(request, "web/platform/hosts.html", context)
