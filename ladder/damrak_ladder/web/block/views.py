"""The page of a block: the same cards in all games, with the seats rotated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Attempt, Match, Seat
from damrak_ladder.profiles.mirrored_luck import owns, seat_rows
from damrak_ladder.tournaments.visibility import visible, visible_blocks
from damrak_ladder.web.block import lists
from damrak_ladder.web.block.divergence import divergences
from damrak_ladder.web.site.access import may_see_trouble


@dataclass(frozen=True, slots=True)
class Row:
    """A version, and its seat in each match."""

    version: Version
    seats: list[Seat | None]


def block(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the games of a block side by side, and its attempts."""
    found = lists.shown(visible_blocks(request.user).filter(pk=pk))
    if not found:
        raise Http404
    shown = found[0]
    attempts = (
        visible(Attempt, request.user)
        .filter(block=pk)
        .select_related("host")
        .prefetch_related("faults")
    )
    seats = len(shown.sides)
    mirrored = (
        seat_rows(shown.matches, seats)
        if shown.block.is_mirrored and len(shown.matches) > 1
        else []
    )
    context = {
        "shown": shown,
        "mirrored": mirrored,
        "owns": owns(mirrored),
        "divergences": divergences(shown.matches, seats) if mirrored else [],
        "played": shown.block,
        "rows": [_row(side.version.pk, shown.matches) for side in shown.sides],
        "shared": {match.pk for match in shown.matches if _firsts(match) > 1},
        "attempts": attempts.order_by("-number")[:20],
        "has_details": may_see_trouble(request.user),
    }
    return render(request, "web/block/block.html", context)


def _firsts(match: Match) -> int:
    results = [getattr(seat, "result", None) for seat in match.seats.all()]
    return sum(result is not None and result.place == 1 for result in results)


def _row(version: int, matches: Sequence[Match]) -> Row:
    seats = [
        next((seat for seat in match.seats.all() if seat.version_id == version), None)
        for match in matches
    ]
    return Row(next(seat.version for seat in seats if seat is not None), seats)
