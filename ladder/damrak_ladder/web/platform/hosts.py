"""The page of hosts, and of the state of the platform."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from damrak_ladder.matches.hosts import HostStatus, status_of
from damrak_ladder.matches.models import BlockState, Host
from damrak_ladder.tournaments.visibility import visible_blocks
from damrak_ladder.web.platform.activity import (
    Hours,
    Shares,
    failures,
    games_since,
    hours_of,
    shares_of_hosts,
)
from damrak_ladder.web.site.access import may_see_trouble

_NOT_RECORDED: Final = [state for state in BlockState if state != BlockState.RECORDED]


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
    hours = hours_of(rows, now)
    shares = shares_of_hosts()
    counts = dict(
        visible_blocks(None)
        .filter(state__in=_NOT_RECORDED)
        .values_list("state")
        .annotate(count=Count("pk"))
    )
    context = {
        "hosts": [
            HostShown(
                host,
                games.get(host.pk, 0),
                hours[host.pk],
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
