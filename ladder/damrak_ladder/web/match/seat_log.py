"""Private pages of a seat for its owner: the bot's output and diagnostics."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from damrak_ladder.matches.models import Seat, SeatLog
from damrak_ladder.matches.timings import Timings, timings_of
from damrak_ladder.pipeline.outcome.bundles import NoBundle, bundle_bytes, can_repeat
from damrak_ladder.pipeline.upkeep.retention import is_log_forgotten
from damrak_ladder.profiles.timing import decisions_of, pace_of
from damrak_ladder.tournaments.visibility import visible, visible_seats
from damrak_ladder.web.match.timing import bars_of
from damrak_ladder.web.site.access import may_see_inside, refuse
from damrak_ladder.web.site.rate_limits import at_most


def seat_log(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show the bot's output, its rejected actions, how it ended, and its use of time."""
    seat = _inside(request, pk, number)
    whole = timings_of(pk)
    timings = Timings() if whole is None else whole.of_seat(number)
    decisions = decisions_of(timings)
    context = {
        "seat": seat,
        "match": seat.match,
        "logs": visible(SeatLog, request.user).filter(seat=seat).order_by("-attempt"),
        "forgotten": is_log_forgotten(seat.match.block, timezone.now()),
        "days": settings.DAMRAK_KEEPING.logs,
        "can_repeat": can_repeat(seat.version),
        "fault": seat.result.fault if hasattr(seat, "result") else "",
        "pace": pace_of(timings),
        "decisions": decisions,
        "bars": bars_of(decisions),
    }
    return render(request, "web/match/seat_log.html", context)


@at_most(30, 60, method="GET")
def seat_bundle(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Return the file with which `damrak repro` repeats the failing decision."""
    seat = _inside(request, pk, number)
    try:
        content = bundle_bytes(seat, seat.match.block.attempt)
    except NoBundle as problem:
        raise Http404(str(problem)) from None
    response = HttpResponse(content, content_type="application/json")
    name = f"{seat.version.bot.slug}-{seat.version.number}-match-{pk}.json"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _inside(request: HttpRequest, pk: int, number: int) -> Seat:
    seats = visible_seats(request.user).select_related("match__block", "version__bot", "result")
    seat = get_object_or_404(seats, match__pk=pk, number=number)
    if not may_see_inside(request.user, seat.version.bot.owner_id):
        refuse(request, f"log of match {pk}, seat {number}")
        raise Http404  # do not reveal whether there is a log
    return seat
