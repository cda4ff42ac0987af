"""The page of the queue: running blocks, the next ones, and why blocks wait."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from damrak_ladder.matches.models import Ladder
from damrak_ladder.pipeline.queue import forecast
from damrak_ladder.web.site.access import may_see_trouble

MOST: Final = 50
"""The maximum number of blocks shown of each kind; the page also gives the total."""


def queue(request: HttpRequest) -> HttpResponse:
    """Show running blocks, and waiting blocks in the order in which they will start."""
    found = forecast.queue(timezone.now(), MOST)
    shares = sorted(found.shares.items(), key=lambda share: (-share[1], share[0]))
    context = {
        "queue": found,
        "shares": shares,
        "ladders": dict(Ladder.objects.values_list("slug", "name")) if shares else {},
        "has_details": may_see_trouble(request.user),
    }
    template = (
        "web/platform/_queue.html" if getattr(request, "htmx", False) else "web/platform/queue.html"
    )
    return render(request, template, context)
