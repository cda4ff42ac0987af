"""The page on which organisers edit the texts of a league, with the latest changes of them."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _

from damrak_ladder.accounts.models import Role
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.tournaments.access import may_edit_league
from damrak_ladder.tournaments.errors import BadTournament, StaleLeague
from damrak_ladder.tournaments.league_changes import change_league
from damrak_ladder.tournaments.models import League
from damrak_ladder.tournaments.seasons import league_at
from damrak_ladder.web.site.access import UserRequest, for_role, refuse
from damrak_ladder.web.site.rate_limits import at_most
from damrak_ladder.web.tournament_desk.creation_form import HeadForm

LATEST: Final = 10
"""Changes that the page shows."""

_LABELS: Final = {"name": _("Name"), "summary": _("Summary")}


class LeagueTextsForm(HeadForm):
    """The texts of a league, and the serial of the league when the form was shown."""

    field_order = ("name", "summary")
    slug = None  # type: ignore[assignment]
    league = None  # type: ignore[assignment]
    serial = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**31 - 1)


@for_role(Role.ORGANISER)
@at_most(60, 600)
def league_edit(request: UserRequest, slug: str) -> HttpResponse:
    """Show the form with the texts of a league, and change them.

    If another organiser has changed them meanwhile, nothing is changed: the form shows the current
    texts, beside those that were sent.
    """
    league = _own_league(request, slug)
    form, sent = _form(league, request.POST or None), None
    if "serial" in form.errors:  # a browser sends the hidden field as it was
        raise Http404
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            changed = change_league(league, request.user, said["serial"], said, timezone.now())
        except BadTournament as problem:
            form.add_error(problem.field, text_of(problem.problem))
        except StaleLeague:
            league.refresh_from_db()
            form, sent = _form(league), _labelled({name: said[name] for name in _LABELS})
        else:
            _tell(request, is_changed=changed.serial != league.serial)
            return HttpResponseRedirect(reverse("web:league", args=[slug]))
    context = {"league": league, "form": form, "sent": sent, "changes": _latest(league)}
    return render(request, "web/tournament_desk/league_edit.html", context)


def _own_league(request: UserRequest, slug: str) -> League:
    league = league_at(slug, request.user)
    if league is None:
        raise Http404
    if not may_edit_league(request.user, league):
        refuse(request, "the texts of a league")
        raise Http404
    return league


def _form(league: League, data: Any = None) -> LeagueTextsForm:
    initial = {"name": league.name, "summary": league.summary, "serial": league.serial}
    return LeagueTextsForm(data, initial=initial)


def _tell(request: UserRequest, *, is_changed: bool) -> None:
    if is_changed:
        messages.success(request, gettext("The league is changed."))
    else:
        messages.info(request, gettext("Nothing differs, so nothing was changed."))


def _labelled(texts: dict[str, Any]) -> list[tuple[Any, Any]]:
    return [(_LABELS.get(name, name), text) for name, text in texts.items()]


def _latest(league: League) -> list[dict[str, Any]]:
    rows = league.changes.select_related("actor").order_by("-serial")[:LATEST]
    return [
        {
            "at": one.at.isoformat(),
            "actor": one.actor.username,
            "field": label,
            "before": before,
            "after": after,
        }
        for one in rows
        for label, (before, after) in _labelled(one.changes)
    ]
