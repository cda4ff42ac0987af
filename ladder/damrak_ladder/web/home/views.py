"""The front page, and the list of ladders."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from damrak_ladder.highlights.notable_games import notables
from damrak_ladder.highlights.queries import stories_between
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.read.table import Row, table
from damrak_ladder.tournaments.headlines import headlines
from damrak_ladder.web.block import lists
from damrak_ladder.web.home.live_table import live_table
from damrak_ladder.web.ladder.views import Scale, scale_of
from damrak_ladder.web.site.access import is_known

TOP = 5
LADDERS = 4
TOURNAMENTS = 3
STORIES = 3


@dataclass(frozen=True, slots=True)
class LadderShown:
    """A ladder, and the top of its table."""

    ladder: Ladder
    rows: list[Row]
    scale: Scale


def home(request: HttpRequest) -> HttpResponse:
    """Show what the site is, who leads, the latest games, and how to join."""
    open_ladders = Ladder.objects.filter(is_open=True).order_by("-weight", "slug")[:LADDERS]
    today = timezone.now().date()
    latest = lists.latest(7)
    notable_games = notables()
    stories = stories_between(today - timedelta(days=1), today, STORIES)
    games = [story.match_id for story in stories]
    games += [notable.match_id for notable in notable_games]
    games += [row.matches[0].pk for row in latest if row.matches]
    context = {
        "ladders": [_shown(one) for one in open_ladders],
        "latest": latest,
        "tournaments": headlines(TOURNAMENTS),
        "live": live_table(viewer=request.user if is_known(request.user) else None),
        "notables": notable_games,
        "stories": stories,
        # To watch while no game is running; None if nothing has been recorded.
        "recording": games[0] if games else None,
    }
    return render(request, "web/home/home.html", context)


def next_live_table(request: HttpRequest) -> HttpResponse:
    """Return the live table after the one shown, as a fragment of the front page.

    If there is none, the response is 204 (no content): the page would jump if the table
    disappeared.
    """
    after = request.GET.get("after", "")
    place = int(after) if after.isascii() and after.isdigit() and len(after) < 19 else 0
    live = live_table(place, request.user if is_known(request.user) else None)
    if live is None and place:
        return HttpResponse(status=204)
    return render(request, "web/home/_live_table.html", {"live": live})


def ladders(request: HttpRequest) -> HttpResponse:
    """Show all ladders."""
    return render(request, "web/ladder/ladders.html", {"ladders": Ladder.objects.order_by("slug")})


def _shown(ladder: Ladder) -> LadderShown:
    rows = table(ladder, limit=TOP)
    return LadderShown(ladder, rows, scale_of(rows))
