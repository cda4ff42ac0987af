"""Pages to watch a tournament: the live wall, the chances to win, and the link card."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from damrak_ladder.matches.models import BlockState
from damrak_ladder.tournaments.cached_chances import equal_score, forecasts, groups_of, winners_of
from damrak_ladder.tournaments.chances import MOST_ALL_MEET, can_forecast
from damrak_ladder.tournaments.documents import names_of
from damrak_ladder.tournaments.visibility import visible_matches
from damrak_ladder.web.site.headers import POLICY
from damrak_ladder.web.tournaments.card import card_of
from damrak_ladder.web.tournaments.lookup import tournament_or_404
from damrak_ladder.web.tournaments.views import context_of

BOARDS: Final = 16
RECENT: Final = timedelta(minutes=10)
"""How long a block is shown on the wall after its end: many are played within seconds."""

SHOWN: Final = 16


@dataclass(frozen=True, slots=True)
class Line:
    """An entrant with its chances, the latest one first named; groups count from 1, 0 is none."""

    entrant: dict[str, Any]
    now: float
    course: list[float]
    group: int = 0


def wall(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the first matches of up to 16 blocks that are being played, or were played just now.

    Frames show what everyone may see, so results that only this user may see are not on the wall.
    """
    found = tournament_or_404(request, slug)
    since = timezone.now() - RECENT
    played = Q(block__state=BlockState.RECORDED, block__finished__gte=since) & ~Q(replay="")
    boards = visible_matches(None).filter(
        Q(block__state=BlockState.RUNNING) | played,
        block__pairing_block__tournament=found.tournament,
        number=0,
    )
    boards = boards.order_by(F("block__finished").desc(nulls_first=True), "block")[:BOARDS]
    full = boards.prefetch_related("seats__version__bot")
    context = {**context_of(found), "boards": list(full)}
    answer = render(request, "web/tournaments/wall.html", context)
    answer["Content-Security-Policy"] = f"{POLICY}; frame-src 'self'"
    return answer


def chances(request: HttpRequest, slug: str, stage: int) -> HttpResponse:
    """Show the chance of each entrant to win a stage, and how good the forecasts were."""
    found = tournament_or_404(request, slug)
    begun = found.stage(stage)
    page, context = "web/tournaments/chances.html", context_of(found)
    context["stage"] = context["document"]["stages"][stage]
    if not can_forecast(begun):
        return render(request, page, {**context, "most": MOST_ALL_MEET})
    made = forecasts(found.tournament, found.seen, begun)
    names, latest = names_of(found.tournament), made[-1].chances
    best = sorted(latest, key=lambda one: (-latest[one], one))[:SHOWN]
    groups = groups_of(found.seen, begun)
    lines = [
        Line(
            names.short(one),
            latest[one],
            [each.chances[one] for each in made],
            groups[one] + 1 if groups else 0,
        )
        for one in best
    ]
    winners = winners_of(found.seen, begun)
    scores = [(one.rounds, one.brier(winners)) for one in made[:-1]] if winners else []
    context |= {
        "lines": lines,
        "made": made,
        "rounds": made[-1].rounds,
        "by_group": bool(groups),
        "others": len(latest) - len(lines),
        "scores": scores,
        "equal": equal_score(found.seen, begun),
    }
    return render(request, page, context)


def card(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the picture of a tournament for links in messengers, as everyone may see it."""
    found = tournament_or_404(request, slug)
    if found.seen.state.rules.visibility == "private":
        raise Http404
    answer = HttpResponse(card_of(found.tournament), content_type="image/png")
    answer["Cache-Control"] = "public, max-age=300"
    return answer
