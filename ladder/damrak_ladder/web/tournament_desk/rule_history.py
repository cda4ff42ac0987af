"""The changes of a tournament's rules, for its entrants."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.access import visible_tournaments
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.rules import parse_rules, rules_json
from damrak_ladder.tournaments.models import Act
from damrak_ladder.web.site.access import is_known
from damrak_ladder.web.tournament_desk.rule_changes import differences
from damrak_ladder.web.tournaments.entry import entered_bots


def rule_history(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every change of the rules as a list of differences, the latest first."""
    tournament = get_object_or_404(visible_tournaments(request.user), slug=slug)
    state = journal.state_of(tournament)
    kinds = (Kind.CREATE, Kind.RULES, Kind.OPEN)
    rows = Act.objects.filter(tournament=tournament, kind__in=kinds).order_by("serial")
    before: dict[str, Any] = {}
    changes: list[dict[str, Any]] = []
    is_open = False  # drafts are of the organisers only
    for row in rows:
        if row.kind == Kind.OPEN:
            is_open = True
            continue
        rules = rules_json(parse_rules(row.payload["rules"]))
        if is_open and (found := differences(before, rules)):
            reason = row.reason if row.is_public else ""
            changes.append({"at": row.at.isoformat(), "reason": reason, "rules": found})
        before = rules
    changes.reverse()
    context = {
        "tournament": tournament,
        "changes": changes,
        "mine": entered_bots(request.user, state) if is_known(request.user) else [],
    }
    return render(request, "web/tournament_desk/rule_history.html", context)
