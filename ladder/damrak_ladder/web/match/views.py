"""The page of a match: its seats, its result, and its replay."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from damrak_ladder.matches.models import Seat
from damrak_ladder.replays.publication import is_over
from damrak_ladder.stores.errors import StoreUnreachable
from damrak_ladder.tournaments.visibility import visible_matches
from damrak_ladder.web.replays.context import viewer_context
from damrak_ladder.web.replays.insight import insight_of
from damrak_ladder.web.site.access import may_see_inside


def match(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the match, seat by seat."""
    full = (
        visible_matches(request.user)
        .select_related("block__ladder", "block__host")
        .prefetch_related("seats__result", "seats__version__bot__owner", "faults__seat")
    )
    shown = get_object_or_404(full, pk=pk)
    seats = sorted(shown.seats.all(), key=_by_place)
    inside = {
        seat.number for seat in seats if may_see_inside(request.user, seat.version.bot.owner_id)
    }
    others = list(visible_matches(request.user).filter(block_id=shown.block_id).order_by("number"))
    context: dict[str, Any] = {
        "match": shown,
        "played": shown.block,
        "seats": seats,
        "inside": inside,
        "others": others,
        "faults": [fault for fault in shown.faults.all() if fault.seat],
    }
    # The result is visible even if the replay is lost or currently unreachable.
    with suppress(Http404, StoreUnreachable):
        context |= viewer_context(request, shown)
        if is_over(shown):
            context["insight"] = insight_of(shown)
    return render(request, "web/match/match.html", context)


def _by_place(seat: Seat) -> tuple[int, int]:
    return (seat.result.place if hasattr(seat, "result") else 9, seat.number)
