"""The desk of a tournament: its phase, alerts, possible acts, entrants, rounds and log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from damrak_ladder.accounts.models import Role
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.tournaments.access import may_edit_league
from damrak_ladder.tournaments.alerts import alerts
from damrak_ladder.tournaments.disclosure import Disclosed, disclosed
from damrak_ladder.tournaments.documents import (
    entrants_json,
    names_of,
    round_json,
    subject_json,
    summary_json,
    tournament_json,
)
from damrak_ladder.tournaments.forecasts import Forecast, forecast_of
from damrak_ladder.tournaments.log.acts import UNDOABLE, Kind
from damrak_ladder.tournaments.log.fold import possible_kinds
from damrak_ladder.tournaments.log.state import Round, State
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Act, Tournament
from damrak_ladder.web.site.access import UserRequest, for_role
from damrak_ladder.web.site.pagination import before, page_of
from damrak_ladder.web.tournament_desk.lookup import own_tournament, own_tournaments
from damrak_ladder.web.tournament_desk.presets import PRESETS
from damrak_ladder.web.tournament_desk.season import can_begin
from damrak_ladder.web.tournament_desk.texts import DO, EFFECTS

SIZE: Final = 30
LATEST: Final = 8
_COURSE: Final = (
    Kind.OPEN,
    Kind.CLOSE,
    Kind.START,
    Kind.RESUME,
    Kind.PAUSE,
    Kind.STOP,
    Kind.FINALISE,
    Kind.SPEED,
    Kind.RENAME,
    Kind.REOPEN,
    Kind.CANCEL,
)
_OTHERS: Final = (Kind.SPEED, Kind.RENAME)
_LAST: Final = (Kind.REOPEN, Kind.CANCEL)
_NEXT: Final = {
    Phase.DRAFT: Kind.OPEN,
    Phase.OPEN: Kind.CLOSE,
    Phase.CLOSED: Kind.START,
    Phase.PAUSED: Kind.RESUME,
    Phase.OVER: Kind.FINALISE,
}
_OF_BLOCKS: Final = (Kind.REPLAY_BLOCK, Kind.SKIP_BLOCK)


@for_role(Role.ORGANISER)
def tournaments(request: UserRequest) -> HttpResponse:
    """List the tournaments that the user runs, and the presets for a new one."""
    rows = own_tournaments(request).select_related("owner", "league").order_by("-pk")
    page = page_of(list(rows.filter(pk__lt=before(request))[: SIZE + 1]), SIZE, lambda one: one.pk)
    shown = [summary_json(one, disclosed(one, request.user)) for one in page.rows]
    context = {"shown": shown, "next": page.next, "presets": PRESETS}
    return render(request, "web/tournament_desk/tournaments.html", context)


@for_role(Role.ORGANISER)
def desk(request: UserRequest, slug: str) -> HttpResponse:
    """Show what needs an organiser now, and what can be done."""
    tournament = own_tournament(request, slug)
    seen = disclosed(tournament, request.user)
    state = seen.state
    context = _context(tournament, seen) | {
        "alerts": [
            {
                "text": text_of(one.message),
                "block": one.block,
                "proposals": [_link(slug, kind, payload) for kind, payload in one.proposals],
            }
            for one in alerts(tournament, timezone.now())
        ],
        "acts": _course(slug, state),
        "can_add": not state.stages and Kind.ENTER in possible_kinds(state.phase),
        "can_begin_season": can_begin(tournament),
        "can_edit_league": _can_edit_league(request, tournament),
        "can_change": Kind.RULES in possible_kinds(state.phase),
        "are_rules_fixed": bool(state.stages),
        "forecast": _forecast(state),
        "log": _rows(tournament, None)[:LATEST],
    }
    return render(request, "web/tournament_desk/desk.html", context)


def _can_edit_league(request: UserRequest, tournament: Tournament) -> bool:
    return tournament.league is not None and may_edit_league(request.user, tournament.league)


@for_role(Role.ORGANISER)
def entrants(request: UserRequest, slug: str) -> HttpResponse:
    """List the entrants with their acts."""
    tournament = own_tournament(request, slug)
    seen = disclosed(tournament, request.user)
    possible = possible_kinds(seen.state.phase)
    context = _context(tournament, seen) | {
        "entrants": entrants_json(tournament, seen),
        "can_enter": Kind.ENTER in possible,
        "can_withdraw": Kind.WITHDRAW in possible,
        "can_disqualify": Kind.DISQUALIFY in possible,
    }
    return render(request, "web/tournament_desk/entrants.html", context)


@for_role(Role.ORGANISER)
def desk_round(request: UserRequest, slug: str, stage: int, number: int) -> HttpResponse:
    """Show the pairings of a round with their acts."""
    tournament = own_tournament(request, slug)
    seen = disclosed(tournament, request.user)
    known = seen.state.stages.get(stage)
    if known is None or not 1 <= number <= len(known.rounds):
        raise Http404
    context = _context(tournament, seen)
    context |= {
        "made": round_json(tournament, seen, known.rounds[number - 1]),
        "stage": context["document"]["stages"][stage],
        "act_query": f"?stage={stage}&round={number}",
        "is_last": number == len(known.rounds),
        "following": number + 1,
        "can_rule": Kind.OVERRIDE in possible_kinds(seen.state.phase),
        "can_release": Kind.RELEASE in possible_kinds(seen.state.phase),
        "can_arrange": Kind.ARRANGE in possible_kinds(seen.state.phase),
    }
    return render(request, "web/tournament_desk/round.html", context)


@for_role(Role.ORGANISER)
def log(request: UserRequest, slug: str) -> HttpResponse:
    """Show all acts, newest first, with their reasons and audiences."""
    tournament = own_tournament(request, slug)
    page = page_of(_rows(tournament, before(request))[: SIZE + 1], SIZE, lambda row: row["serial"])
    context = _context(tournament, disclosed(tournament, request.user))
    context |= {"log": page.rows, "next": page.next}
    return render(request, "web/tournament_desk/log.html", context)


def _context(tournament: Tournament, seen: Disclosed) -> dict[str, Any]:
    document = tournament_json(tournament, seen)
    for made, line in zip(_rounds(seen.state), _lines(document), strict=True):
        if line["phase"] == "playing":
            verdicts = seen.course.verdicts[made.key]
            line["pairings"] = len(verdicts)
            line["decided"] = sum(one.is_decided for one in verdicts)
    return {
        "tournament": tournament,
        "slug": tournament.slug,
        "document": document,
        "begun": [stage for stage in document["stages"] if stage["rounds"]],
        "is_known_to_all": seen.state.phase is not Phase.DRAFT,
    }


def _rounds(state: State) -> list[Round]:
    return [made for at in sorted(state.stages) for made in state.stages[at].rounds]


def _lines(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [line for stage in document["stages"] for line in stage["rounds"]]


def _course(slug: str, state: State) -> dict[str, list[dict[str, Any]]]:
    """Return the acts on the course of the tournament that are possible now, in three groups."""
    possible = possible_kinds(state.phase)
    found: dict[str, list[dict[str, Any]]] = {"first": [], "others": [], "last": []}
    for kind in _COURSE:
        is_stopped = state.stops_after_round
        if kind not in possible or (kind is Kind.STOP and is_stopped):
            continue
        if kind is Kind.RESUME and state.phase is Phase.RUNNING and not is_stopped:
            continue
        link = _link(slug, kind, {"on": "1"} if kind is Kind.STOP else {})
        is_next = _NEXT.get(state.phase) is kind
        group = "others" if kind in _OTHERS else "last" if kind in _LAST else "first"
        found[group].append({**link, "effect": EFFECTS[kind], "is_next": is_next})
    return found


def _link(slug: str, kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the name and the address of an act with these choices."""
    path = reverse("web:tournament_act", args=[slug, str(kind)])
    given = {name: "1" if value is True else value for name, value in payload.items()}
    of = payload["number"] if kind in _OF_BLOCKS else ""
    return {
        "name": DO[kind],
        "kind": str(kind),
        "path": f"{path}?{urlencode(given, doseq=True)}" if given else path,
        "of": of,
    }


def _forecast(state: State) -> Forecast | None:
    """Return what the format buys for the entrants so far, before the start."""
    taking_part = sum(state.is_in(number) for number in state.entrants)
    if state.stages or taking_part < 2:
        return None
    rules = replace(state.rules, games_a_minute=state.games_a_minute)
    return forecast_of(rules, taking_part)


def _rows(tournament: Tournament, below: int | None) -> list[dict[str, Any]]:
    """Return the latest acts before this serial, one more than a page holds."""
    rows = Act.objects.filter(tournament=tournament).select_related("actor").order_by("-serial")
    if below is not None:
        rows = rows.filter(serial__lt=below)
    names = names_of(tournament)
    return [
        {
            **subject_json(names, row.payload),
            "serial": row.serial,
            "kind": row.kind,
            "at": row.at.isoformat(),
            "actor": None if row.actor is None else row.actor.username,
            "reason": row.reason,
            "public": row.is_public,
            "undoes": row.undoes,
            "undo": reverse("web:tournament_act", args=[tournament.slug, "undo"])
            + f"?undoes={row.serial}"
            if row.kind in UNDOABLE
            else "",
        }
        for row in rows[: SIZE + 1]
    ]
