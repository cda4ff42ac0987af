"""The pages on which tournaments are created, and on which their rules are changed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from damrak_ladder.accounts.models import Role
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.creation import Plan, create, league_of, rules_to_copy
from damrak_ladder.tournaments.divisions import league_rules_json
from damrak_ladder.tournaments.errors import BadTournament
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.rules import rules_json
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.next_season import next_number
from damrak_ladder.web.site.access import UserRequest, for_role
from damrak_ladder.web.site.rate_limits import at_most
from damrak_ladder.web.tournament_desk.act_pages import previewed
from damrak_ladder.web.tournament_desk.creation_form import CreationForm
from damrak_ladder.web.tournament_desk.lookup import own_tournament
from damrak_ladder.web.tournament_desk.presets import PRESETS
from damrak_ladder.web.tournament_desk.rules_form import ScheduleForm, rules_initial


@for_role(Role.ORGANISER)
@at_most(60, 600)
def new(request: UserRequest) -> HttpResponse:
    """Show the form for a new tournament, from a preset or a copy, and create it."""
    wanted = request.GET.get("preset", "")
    chosen = wanted if wanted in PRESETS else "cup"
    preset, original = PRESETS[chosen], None
    if copied := request.GET.get("copy", ""):
        original = own_tournament(request, copied)
    rules = preset.rules if original is None else rules_to_copy(original)
    form = CreationForm(
        rules,
        request.POST or None,
        entrants=preset.entrants if original is None else max(2, original.entrants.count()),
        head={} if original is None else _head(original),
    )
    if request.method == "POST" and form.is_valid() and "create" in request.POST:
        try:
            made = _created(request, form)
        except BadTournament as problem:
            form.add_problem(problem)
        else:
            messages.success(request, _("The tournament is created. Only you can see it."))
            return HttpResponseRedirect(reverse("web:tournament_desk", args=[made.slug]))
    context = {
        "form": form,
        "forecast": form.forecast(),
        "presets": PRESETS,
        "chosen": chosen,
        "original": original,
    }
    return render(request, "web/tournament_desk/new.html", context)


@for_role(Role.ORGANISER)
@at_most(60, 600)
def change_rules(request: UserRequest, slug: str) -> HttpResponse:
    """Show the form with the rules of a tournament, and what a change of them would do."""
    tournament = own_tournament(request, slug)
    state = journal.state_of(tournament)
    if state.stages:
        return _change_schedule(request, tournament, rules_json(state.rules))
    taking_part = sum(state.is_in(number) for number in state.entrants)
    form = CreationForm(
        rules_json(state.rules),
        request.POST or None,
        entrants=taking_part if taking_part > 1 else 16,
        has_head=False,
    )
    if request.method == "POST" and form.is_valid() and "create" in request.POST:
        return previewed(request, tournament, Kind.RULES, {"rules": form.json})
    context = {
        "form": form,
        "forecast": form.forecast(),
        "tournament": tournament,
    }
    return render(request, "web/tournament_desk/rules.html", context)


def _change_schedule(
    request: UserRequest, tournament: Tournament, rules: dict[str, Any]
) -> HttpResponse:
    """Show the form with the times that can change after the first pairing."""
    form = ScheduleForm(request.POST or None, initial=rules_initial(rules))
    if request.method == "POST" and form.is_valid():
        changed = rules | {"schedule": rules["schedule"] | form.schedule()}
        return previewed(request, tournament, Kind.RULES, {"rules": changed})
    context = {"form": form, "tournament": tournament, "is_fixed": True}
    return render(request, "web/tournament_desk/rules.html", context)


def _head(original: Tournament) -> dict[str, Any]:
    league = original.league
    return {
        "name": original.name,
        "summary": original.summary,
        "league": "" if league is None else league.slug,
    }


@transaction.atomic
def _created(request: UserRequest, form: CreationForm) -> Tournament:
    """Create the tournament of a valid form, as the next season if it belongs to a league.

    Raises:
        BadTournament
    """
    assert form.head is not None
    head = form.head.cleaned_data
    now, league, season = timezone.now(), None, None
    if head["league"]:
        # The name of the tournament is that of a season, such as "Canals 1".
        name = head["league"].replace("-", " ").capitalize()
        league = league_of(request.user, head["league"], name, now)
        if form.league.is_used:
            league.rules = league_rules_json(form.league.rules)
            league.save(update_fields=["rules"])
        season = next_number(league.pk)
    plan = Plan(head["slug"], head["name"], form.json, head["summary"], league, season)
    return create(request.user, plan, now)
