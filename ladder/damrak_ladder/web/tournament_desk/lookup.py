"""The tournaments that the user of a request runs."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from damrak_ladder.accounts.models import Role
from damrak_ladder.accounts.roles import may_act_as
from damrak_ladder.tournaments.access import may_run, organised_by, visible_tournaments
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.web.site.access import UserRequest, refuse


def own_tournament(request: UserRequest, slug: str) -> Tournament:
    """Return the tournament of this name, which the user runs.

    Raises:
        Http404: there is none, or the user is not one of its organisers.
    """
    rows = visible_tournaments(request.user).select_related("owner", "league")
    tournament = get_object_or_404(rows, slug=slug)
    if not may_run(request.user, tournament):
        refuse(request, "the desk of a tournament")
        raise Http404
    return tournament


def own_tournaments(request: UserRequest) -> QuerySet[Tournament]:
    """Return the tournaments that the user runs; staff run all."""
    if may_act_as(request.user, Role.STAFF):
        return Tournament.objects.all()
    return organised_by(request.user)
