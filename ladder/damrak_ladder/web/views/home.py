"""The front page, and the list of ladders."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.tables import Row, table
from damrak_ladder.web import blocks
from damrak_ladder.web.live_tables import live_table
from damrak_ladder.web.notables import notables
from damrak_ladder.web.views.ladder import Scale, scale_of

TOP = 5
LADDERS = 4


@dataclass(frozen=True, slots=True)
class LadderShown:
    """A ladder, and the top of its table."""

    ladder: Ladder
    rows: list[Row]
    scale: Scale


def home(request: HttpRequest) -> HttpResponse:
    """Show what the site is, who leads, the latest games, and how to join."""
    open_ladders = Ladder.objects.filter(is_open=True).order_by("-weight", "slug")[:LADDERS]
    context = {
        "ladders": [_shown(one) for one in open_ladders],
        "latest": blocks.latest(7),
        "live": live_table(),
        "notables": notables(),
    }
    return render(request, "web/home.html", context)


def next_live_table(request: HttpRequest) -> HttpResponse:
    """Return the live table after the one shown, as a fragment of the front page.

    If there is none, the response is 204 (no content): the page would jump if the table
    disappeared.
    """
    after = request.GET.get("after", "")
    place = int(after) if after.isascii() and after.isdigit() and len(after) < 19 else 0
    live = live_table(place)
    if live is None and place:
        return HttpResponse(status=204)
    return render(request, "web/_live_table.html", {"live": live})


def ladders(request: HttpRequest) -> HttpResponse:
    """Show all ladders."""
    return render(request, "web/ladders.html", {"ladders": Ladder.objects.order_by("slug")})


def _shown(ladder: Ladder) -> LadderShown:
    rows = table(ladder, limit=TOP)
    return LadderShown(ladder, rows, scale_of(rows))
