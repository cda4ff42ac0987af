"""What runs where, and how the platform is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from damrak_ladder.matches.models import Block, BlockState, Host

SILENT_AFTER: Final = timedelta(minutes=1)
_NOT_RECORDED: Final = [state for state in BlockState if state != BlockState.RECORDED]


@dataclass(frozen=True, slots=True)
class HostShown:
    """A host, and how it is."""

    host: Host
    played: int
    is_silent: bool


def hosts(request: HttpRequest) -> HttpResponse:
    """The machines with a referee, and what they did in the last hour."""
    now = timezone.now()
    hour = now - timedelta(hours=1)
    rows = list(Host.objects.order_by("name"))
    recent = Block.objects.filter(host__in=rows, state=BlockState.RECORDED, finished__gte=hour)
    played = dict(recent.values_list("host").annotate(count=Count("pk")))
    counts = dict(
        Block.objects.filter(state__in=_NOT_RECORDED)
        .values_list("state")
        .annotate(count=Count("pk"))
    )
    context = {
        "hosts": [_shown(host, played.get(host.pk, 0), now) for host in rows],
        "waiting": counts.get(BlockState.WAITING, 0),
        "running": counts.get(BlockState.RUNNING, 0),
        "dead": counts.get(BlockState.DEAD, 0),
        "played": sum(played.values()),
    }
    return render(request, "web/hosts.html", context)


def _shown(host: Host, played: int, now: datetime) -> HostShown:
    return HostShown(host, played, now - host.last_seen > SILENT_AFTER)
