"""The pages of leagues."""

from __future__ import annotations

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_ladder.tournaments.access import may_edit_league
from damrak_ladder.tournaments.seasons import SHOWN, league_at, seasons_of, visible_leagues
from damrak_ladder.web.site.pagination import before

_LAST: Final = 2**31 - 1


def leagues(request: HttpRequest) -> HttpResponse:
    """List the leagues."""
    found = visible_leagues(request.user).order_by("slug")
    return render(request, "web/tournaments/leagues.html", {"leagues": found})


def league(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the seasons of a league with their divisions and the moves between them."""
    found = league_at(slug, request.user)
    if found is None:
        raise Http404
    seasons = seasons_of(found, request.user, min(before(request), _LAST), SHOWN)
    more = seasons[-1].number if len(seasons) == SHOWN and seasons[-1].number > 1 else None
    context = {
        "league": found,
        "seasons": seasons,
        "next": more,
        "can_edit": may_edit_league(request.user, found),
    }
    return render(request, "web/tournaments/league.html", context)
