"""The changes of a tournament's rules, for its entrants."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.access import visible_tournaments
from damrak_ladder.tournaments.rule_history import rule_changes
from damrak_ladder.web.site.access import is_known
from damrak_ladder.web.tournament_desk.rule_changes import differences
from damrak_ladder.web.tournaments.entry import entered_bots


def rule_history(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every change of the rules as a list of differences, the latest first."""
    tournament = get_object_or_404(visible_tournaments(request.user), slug=slug)
    state = journal.state_of(tournament)
    changes = [
        {"at": one.at.isoformat(), "reason": one.reason, "rules": found}
        for one in rule_changes(tournament)
        if (found := differences(one.before, one.after))
    ]
    context = {
        "tournament": tournament,
        "changes": changes,
        "mine": entered_bots(request.user, state) if is_known(request.user) else [],
    }
    return render(request, "web/tournament_desk/rule_history.html", context)
