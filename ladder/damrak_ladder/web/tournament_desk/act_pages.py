"""The page of an act: its choices, the preview of all changes, and the confirmation.

The preview is a GET request without any effect. The confirmation carries the payload, the serial
that the preview was based on, and an idempotency key, so that it acts once or not at all.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from damrak_ladder.accounts.models import Role
from damrak_ladder.message_codes.wording import text_of, text_or_empty
from damrak_ladder.tournaments import desk, journal
from damrak_ladder.tournaments.documents import Names, names_of
from damrak_ladder.tournaments.errors import BadTournament, KeyReused, NotAllowed, Refused, Stale
from damrak_ladder.tournaments.log.acts import NEEDS_REASON, Kind
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.models import Act, Tournament
from damrak_ladder.web.site.access import UserRequest, for_role
from damrak_ladder.web.site.rate_limits import at_most
from damrak_ladder.web.tournament_desk.act_forms import FORMS, ActForm
from damrak_ladder.web.tournament_desk.lookup import own_tournament
from damrak_ladder.web.tournament_desk.previews import preview_of, shown_of
from damrak_ladder.web.tournament_desk.texts import DO

_MOST_JSON: Final = 400_000
_MOST_REASON: Final = 500
_ASKED_FIRST: Final = (Kind.SPEED, Kind.ARRANGE, Kind.PLAN_RELEASE)
"""Acts whose choices may all be empty."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A confirmed act, as the hidden fields of its preview carry it."""

    payload: dict[str, Any]
    serial: int
    key: str
    shown: str
    reason: str
    is_public: bool
    undoes: int | None


@for_role(Role.ORGANISER)
@at_most(120, 60)
def act(request: UserRequest, slug: str, kind: str) -> HttpResponse:
    """Show what an act would change, and perform it after the confirmation."""
    tournament = own_tournament(request, slug)
    if kind not in {*FORMS, Kind.RULES}:
        raise Http404
    wanted = Kind(kind)
    if request.method == "POST":
        return _perform(request, tournament, wanted, _confirmed(request))
    if wanted is Kind.RULES:
        return HttpResponseRedirect(reverse("web:tournament_rules", args=[slug]))
    state, names = journal.state_of(tournament), names_of(tournament)
    form = _form(request, wanted, state, names)
    context = _context(tournament, wanted) | {"form": form}
    if form.is_bound and form.is_valid():
        context |= _preview(
            request, tournament, wanted, form.payload(), form.cleaned_data.get("undoes")
        )
    return render(request, "web/tournament_desk/act.html", context)


def previewed(
    request: UserRequest, tournament: Tournament, kind: Kind, payload: dict[str, Any]
) -> HttpResponse:
    """Show what an act with this payload would change."""
    context = _context(tournament, kind) | _preview(request, tournament, kind, payload, None)
    return render(request, "web/tournament_desk/act.html", context)


def _form(request: UserRequest, kind: Kind, state: State, names: Names) -> ActForm:
    """Return the form of an act; it is bound as soon as the address has all it needs."""
    given = request.GET
    initial = {name: given[name] for name in given}
    if kind is Kind.SPEED and "games_a_minute" not in initial:
        initial["games_a_minute"] = state.games_a_minute  # type: ignore[assignment]
    form = FORMS[kind](state, names, None, initial)
    needed = {name for name, one in form.fields.items() if one.required}
    is_asked = "preview" in given or kind is Kind.STOP
    if is_asked or (needed <= given.keys() and kind not in _ASKED_FIRST):
        return FORMS[kind](state, names, given, initial)
    return form


def _context(tournament: Tournament, kind: Kind) -> dict[str, Any]:
    return {
        "tournament": tournament,
        "kind": str(kind),
        "title": DO[kind],
        "needs_reason": kind in NEEDS_REASON,
        "most_reason": _MOST_REASON,
    }


def _preview(
    request: UserRequest,
    tournament: Tournament,
    kind: Kind,
    payload: dict[str, Any],
    undoes: int | None,
) -> dict[str, Any]:
    """Return the context of a preview, or of the refusal of the act."""
    # A preview needs no reason; the confirmation does.
    asked = desk.Request(kind, payload, actor=request.user, reason="preview", undoes=undoes)
    try:
        answer = desk.preview(tournament, asked, timezone.now())
    except Refused as problem:
        return {"problem": text_of(problem.message), "cure": text_or_empty(problem.cure)}
    except BadTournament as problem:
        return {"problem": text_of(problem.message)}
    state, names = journal.state_of(tournament), names_of(tournament)
    found = preview_of(tournament.serial, answer.payload, answer.changes, state, names)
    asked_payload = json.dumps(payload, sort_keys=True)
    return {
        "preview": found,
        "asked_payload": asked_payload,
        "key": secrets.token_urlsafe(12),
        "undoes": undoes,
        "undone": None if undoes is None else tournament.acts.filter(serial=undoes).first(),
        "reason": request.POST.get("reason", "")[:_MOST_REASON],
    }


def _confirmed(request: UserRequest) -> Confirmed:
    said = request.POST
    text = said.get("payload", "")
    try:
        payload = json.loads(text) if len(text) <= _MOST_JSON else None
        serial = int(said.get("serial", "")[:12])
        undoes = int(said["undoes"][:12]) if said.get("undoes") else None
    except (ValueError, RecursionError):
        raise Http404 from None
    if not isinstance(payload, dict):
        raise Http404
    reason = said.get("reason", "").replace("\0", "")[:_MOST_REASON]
    is_public = "private" not in said
    key = said.get("key", "")[:80].replace("\0", "")
    return Confirmed(payload, serial, key, said.get("shown", ""), reason, is_public, undoes)


def _perform(
    request: UserRequest, tournament: Tournament, kind: Kind, said: Confirmed
) -> HttpResponse:
    asked = desk.Request(
        kind,
        said.payload,
        actor=request.user,
        serial=said.serial,
        key=said.key,
        reason=said.reason,
        is_public=said.is_public,
        undoes=said.undoes,
    )
    now = timezone.now()
    context = _context(tournament, kind)
    try:
        if not _is_as_shown(tournament, asked, said):
            context["is_changed"] = True
        else:
            desk.perform(tournament, asked, now)
            messages.success(request, _("Done: %(act)s.") % {"act": context["title"]})
            return HttpResponseRedirect(reverse("web:tournament_desk", args=[tournament.slug]))
    except Stale:
        context["meanwhile"] = meanwhile(tournament, said.serial)
    except (BadTournament, KeyReused, NotAllowed, Refused) as problem:
        context["refused"] = text_of(problem.message)
    context |= _preview(request, tournament, kind, said.payload, said.undoes)
    return render(request, "web/tournament_desk/act.html", context)


def _is_as_shown(tournament: Tournament, asked: desk.Request, said: Confirmed) -> bool:
    """Return whether the act would still change what its preview showed.

    Raises:
        BadTournament, NotAllowed, Refused, Stale
    """
    if said.key and tournament.acts.filter(key=said.key).exists():
        return True  # it was performed already, and has no further effect
    return shown_of(desk.preview(tournament, asked, timezone.now()).changes) == said.shown


def meanwhile(tournament: Tournament, serial: int) -> list[Mapping[str, Any]]:
    """Return the acts after this serial."""
    rows = Act.objects.filter(tournament=tournament, serial__gt=serial).select_related("actor")
    return [
        {
            "serial": row.serial,
            "kind": row.kind,
            "at": row.at.isoformat(),
            "actor": None if row.actor is None else row.actor.username,
            "reason": row.reason,
        }
        for row in rows.order_by("serial")
    ]
