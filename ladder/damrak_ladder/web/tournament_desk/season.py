"""The page that begins the next season of a league, with the moves between its divisions."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from damrak_ladder.accounts.models import Role
from damrak_ladder.message_codes.wording import text_of, text_or_empty
from damrak_ladder.tournaments.errors import BadTournament, Refused
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.next_season import (
    begin_next_season,
    names_of_next,
    next_number,
    outlook,
)
from damrak_ladder.web.site.access import UserRequest, for_role
from damrak_ladder.web.site.rate_limits import at_most
from damrak_ladder.web.tournament_desk.creation_form import HeadForm
from damrak_ladder.web.tournament_desk.lookup import own_tournament


class SeasonForm(HeadForm):
    """The name and the address of a season."""

    field_order = ("name", "slug")
    summary = None  # type: ignore[assignment]
    league = None  # type: ignore[assignment]


@for_role(Role.ORGANISER)
@at_most(60, 600)
def next_season(request: UserRequest, slug: str) -> HttpResponse:
    """Show who would play in which division next, and begin the season."""
    last = own_tournament(request, slug)
    if last.league is None:
        raise Http404
    try:
        found = outlook(last)
    except Refused as problem:
        refused = {
            "tournament": last,
            "problem": text_of(problem.message),
            "cure": text_or_empty(problem.cure),
        }
        return render(request, "web/tournament_desk/season.html", refused)
    form = SeasonForm(request.POST or None, initial=names_of_next(last, found.number))
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            made = begin_next_season(last, request.user, said["slug"], said["name"], timezone.now())
        except BadTournament as problem:
            field = problem.field if problem.field in form.fields else None
            form.add_error(field, text_of(problem.problem))
        else:
            messages.success(request, _("The season is open for entries."))
            return HttpResponseRedirect(reverse("web:tournament_desk", args=[made.slug]))
    context = {"tournament": last, "outlook": found, "form": form}
    return render(request, "web/tournament_desk/season.html", context)


def can_begin(tournament: Tournament) -> bool:
    """Return whether the desk offers the next season."""
    if tournament.league_id is None or tournament.phase != "final":
        return False
    return next_number(tournament.league_id) == (tournament.season or 0) + 1
