"""The pages of tournaments for spectators."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_ladder.tournaments.access import listed_tournaments
from damrak_ladder.tournaments.cross_table import cross_table_of
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.documents import (
    entrants_json,
    leaders_json,
    names_of,
    round_json,
    summary_json,
    tournament_json,
)
from damrak_ladder.tournaments.export import acts_json
from damrak_ladder.tournaments.formats import KNOCKOUTS
from damrak_ladder.web.site.access import is_known
from damrak_ladder.web.site.pagination import before, page_of
from damrak_ladder.web.tournaments.bracket import bracket_of
from damrak_ladder.web.tournaments.entry import entered_bots
from damrak_ladder.web.tournaments.lookup import Found, tournament_or_404
from damrak_ladder.web.tournaments.standings import tables_of

SIZE: Final = 20
LEADERS: Final = 5


def tournaments(request: HttpRequest) -> HttpResponse:
    """List the tournaments, newest first."""
    rows = listed_tournaments(request.user).select_related("owner", "league").order_by("-pk")
    page = page_of(list(rows.filter(pk__lt=before(request))[: SIZE + 1]), SIZE, lambda one: one.pk)
    shown = [summary_json(one, disclosed(one, request.user)) for one in page.rows]
    return render(request, "web/tournaments/tournaments.html", {"shown": shown, "next": page.next})


def tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a tournament: its rules, state, next step, leaders and rounds."""
    found = tournament_or_404(request, slug)
    context = context_of(found)
    context["leaders"] = leaders_json(found.tournament, found.seen, LEADERS)
    if is_known(request.user):
        context["mine"] = entered_bots(request.user, found.seen.state)
    return render(request, "web/tournaments/tournament.html", context)


def entrants(request: HttpRequest, slug: str) -> HttpResponse:
    """List the entrants of a tournament, in the order of their seeds."""
    found = tournament_or_404(request, slug)
    listed = entrants_json(found.tournament, found.seen)
    return render(
        request, "web/tournaments/entrants.html", {**context_of(found), "entrants": listed}
    )


def standings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the tables of all stages with their tie-breaks."""
    found = tournament_or_404(request, slug)
    context = {**context_of(found), "tables": tables_of(found)}
    return render(request, "web/tournaments/standings.html", context)


def tournament_round(request: HttpRequest, slug: str, stage: int, number: int) -> HttpResponse:
    """Show the pairings of a round and their results."""
    found = tournament_or_404(request, slug)
    made = round_json(found.tournament, found.seen, found.round(stage, number))
    context = context_of(found)
    context |= {"made": made, "stage": context["document"]["stages"][stage]}
    return render(request, "web/tournaments/round.html", context)


def cross_table(request: HttpRequest, slug: str, stage: int) -> HttpResponse:
    """Show the scores of the entrants of a stage against each other."""
    found = tournament_or_404(request, slug)
    table = cross_table_of(found.seen, found.stage(stage), names_of(found.tournament))
    context = context_of(found)
    context |= {"table": table, "stage": context["document"]["stages"][stage]}
    return render(request, "web/tournaments/cross_table.html", context)


def bracket(request: HttpRequest, slug: str, stage: int) -> HttpResponse:
    """Show the bracket of a knockout stage."""
    found = tournament_or_404(request, slug)
    begun = found.stage(stage)
    if begun.plan.rules.format not in KNOCKOUTS:
        raise Http404
    context = context_of(found)
    drawn = bracket_of(found, begun, names_of(found.tournament))
    context |= {"bracket": drawn, "stage": context["document"]["stages"][stage]}
    return render(request, "web/tournaments/bracket.html", context)


def log(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the acts of organisers, newest first."""
    found = tournament_or_404(request, slug)
    acts = acts_json(found.tournament, found.seen)
    acts.reverse()
    return render(request, "web/tournaments/log.html", {**context_of(found), "acts": acts})


def context_of(found: Found) -> dict[str, Any]:
    """Return the values that all pages of a tournament need."""
    stages = found.seen.state.stages
    document = tournament_json(found.tournament, found.seen)
    for stage in document["stages"]:
        stage["is_knockout"] = stage["format"] in KNOCKOUTS
        begun = stages.get(stage["stage"])
        stage["has_chances"] = begun is not None
        stage["has_trf"] = begun is not None and begun.plan.rules.players == 2
    return {
        "document": document,
        "slug": found.tournament.slug,
        "begun": [stage for stage in document["stages"] if stage["rounds"]],
        "is_organiser": found.seen.is_organiser,
        "has_tables": any(stage["players"] > 2 for stage in document["rules"]["stages"]),
        "league": found.tournament.league,
        "site": settings.DAMRAK_URL,
    }
