"""The reveal of a round for a projector: pairing by pairing, with one step back.

The page shows only what is public already, so that nothing leaks from the screen of a hall.
"""

from __future__ import annotations

import secrets
from fractions import Fraction
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone

from damrak_ladder.accounts.models import Role
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.tournaments import desk
from damrak_ladder.tournaments.disclosure import Disclosed, disclosed
from damrak_ladder.tournaments.documents import round_json
from damrak_ladder.tournaments.errors import KeyReused, NotAllowed, Refused, Stale
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.values import Release
from damrak_ladder.tournaments.models import Act, Tournament
from damrak_ladder.web.site.access import UserRequest, for_role
from damrak_ladder.web.site.rate_limits import at_most
from damrak_ladder.web.tournament_desk.lookup import own_tournament


@for_role(Role.ORGANISER)
@at_most(300, 60)
def reveal(request: UserRequest, slug: str, stage: int, number: int) -> HttpResponse:
    """Show the public results of a round, and make the next pairing public or hide the last."""
    tournament = own_tournament(request, slug)
    public = disclosed(tournament, None)
    known = disclosed(tournament, request.user).state.stages.get(stage)
    if known is None or not 1 <= number <= len(known.rounds):
        raise Http404
    problem = ""
    if request.method == "POST":
        try:
            _step(request, tournament, stage, number)
        except (KeyReused, NotAllowed, Refused) as refusal:
            problem = text_of(refusal.message)
        except Stale:
            problem = "stale"
        else:
            return HttpResponseRedirect(request.path)
        public = disclosed(tournament, None)
    context = _context(request, tournament, public, stage, number)
    return render(request, "web/tournament_desk/reveal.html", context | {"problem": problem})


def _step(request: UserRequest, tournament: Tournament, stage: int, number: int) -> None:
    """Perform the step of the button that was pressed.

    Raises:
        KeyReused, NotAllowed, Refused, Stale
    """
    said, now = request.POST, timezone.now()
    if not all(said.get(name, "").isascii() for name in ("serial", "table", "undoes", "key")):
        raise Http404
    serial, table, undoes = (
        int(value) if (value := said.get(name, ""))[:12].isdigit() and len(value) <= 9 else None
        for name in ("serial", "table", "undoes")
    )
    if serial is None or (table is None) == (undoes is None):
        raise Http404
    kind = Kind.RELEASE if undoes is None else Kind.UNDO
    payload: dict[str, Any] = {}
    if undoes is None:
        payload = {"stage": stage, "round": number, "table": table, "level": str(Release.PUBLIC)}
    elif undoes != _last_step(tournament, stage, number):
        raise Http404
    asked = desk.Request(
        kind, payload, actor=request.user, serial=serial, key=said.get("key", ""), undoes=undoes
    )
    desk.perform(tournament, asked, now)


def _context(
    request: UserRequest, tournament: Tournament, public: Disclosed, stage: int, number: int
) -> dict[str, Any]:
    """Return the round as the public sees it, the next pairing, and the step back."""
    every = disclosed(tournament, request.user)
    made = every.state.stages[stage].rounds[number - 1]
    is_known = public.state.round(made.key) is not None
    shown = round_json(tournament, public, made)["pairings"] if is_known else []
    names = round_json(tournament, every, made)["pairings"]
    decided = {one["table"] for one in names if one["state"] == "decided"}
    waiting = [
        one
        for one in reversed(names)
        if is_known and not one["bye"] and made.release_of(one["table"]) is not Release.PUBLIC
    ]
    is_decided = bool(waiting) and waiting[0]["table"] in decided
    return {
        "tournament": tournament,
        "slug": tournament.slug,
        "stage": stage,
        "number": number,
        "serial": tournament.serial,
        "key": secrets.token_urlsafe(12),
        # The last table is revealed first, so the newest result is on top.
        "shown": [_with_points(one) for one in shown if one["state"] == "decided"],
        "next": _without_result(waiting[0]) if waiting else None,
        "is_decided": is_decided,
        "is_waiting": not is_known or (bool(waiting) and not is_decided),
        "left": len(waiting),
        "is_blocked": not is_known,
        "back": _last_step(tournament, stage, number),
    }


def _with_points(pairing: dict[str, Any]) -> dict[str, Any]:
    sides = zip(pairing["entrants"], pairing["points"], strict=True)
    rows = [{"bot": one["bot"], "name": one["name"], "points": points} for one, points in sides]
    rows.sort(key=lambda row: -Fraction(row["points"]))
    return {"table": pairing["table"], "rows": rows}


def _without_result(pairing: dict[str, Any]) -> dict[str, Any]:
    return {"table": pairing["table"], "entrants": pairing["entrants"]}


def _last_step(tournament: Tournament, stage: int, number: int) -> int | None:
    """Return the serial of the latest release of a single pairing of this round in force."""
    rows = Act.objects.filter(tournament=tournament, kind__in=(Kind.RELEASE, Kind.UNDO))
    undone: set[int] = set()
    for row in rows.order_by("-serial")[:200]:
        if row.serial in undone:
            continue
        if row.kind == Kind.UNDO:
            undone.add(row.undoes or 0)
            continue
        said = row.payload
        if (said.get("stage", 0), said.get("round")) == (stage, number):
            return row.serial if said.get("table") is not None else None
    return None
