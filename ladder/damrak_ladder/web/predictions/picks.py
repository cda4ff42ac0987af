"""The prediction of a reader for a match, as pages show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.utils import timezone

from damrak_ladder.matches.models import Block, BlockState, Match
from damrak_ladder.predictions.acceptance import EARLY, PURPOSES, may_open
from damrak_ladder.predictions.models import Prediction
from damrak_ladder.web.predictions.memory import Memory, recall
from damrak_ladder.web.replays.sources import names_among
from damrak_ladder.web.site.access import is_known


@dataclass(frozen=True, slots=True)
class Pick:
    """A match, and the seat that the reader predicts; None without a prediction.

    `match` has its block, and its seats with versions, bots and results.
    """

    match: int
    names: Sequence[str]  # by seat
    seat: int | None
    winners: frozenset[int]  # empty before the result is public
    is_open: bool  # as far as the page knows; the server decides about each prediction
    until: int  # the number of turns during which it is open
    is_late: bool = False  # the reader's prediction came too late
    counts: bool = True  # in the table of forecasters
    starts_in: float | None = None  # seconds; None if the game has begun

    @property
    def name(self) -> str:
        """Return the name of the predicted bot."""
        return "" if self.seat is None else self.names[self.seat]

    @property
    def winner(self) -> str:
        """Return the names of the winners."""
        return ", ".join(self.names[seat] for seat in sorted(self.winners))


def picks_of(
    request: HttpRequest, matches: Sequence[Match], memory: Memory | None = None
) -> list[Pick]:
    """Return the picks of the reader for these matches; one query for users.

    `memory` replaces what the browser of a visitor sent.
    """
    if is_known(request.user):
        rows = Prediction.objects.filter(user=request.user, match__in=matches)
        found = {row.match_id: row for row in rows}
        own = {match: row.seat for match, row in found.items()}
        for_fun = {match for match, row in found.items() if not row.counts}
    else:
        own = recall(request) if memory is None else memory
        for_fun = set()
    return [_pick(match, own.get(match.pk), counts=match.pk not in for_fun) for match in matches]


def _pick(match: Match, seat: int | None, *, counts: bool) -> Pick:
    seats = sorted(match.seats.all(), key=lambda seat: seat.number)
    is_public = match.block.state == BlockState.RECORDED
    won = (one.number for one in seats if is_public and one.result.place == 1)
    return Pick(
        match=match.pk,
        names=names_among([one.version for one in seats]),
        seat=seat if seat is not None and seat < len(seats) else None,
        winners=frozenset(won),
        is_open=match.block.purpose in PURPOSES and may_open(match.block),
        until=EARLY * len(seats),
        counts=counts,
        starts_in=_seconds_until(match.block, timezone.now()),
    )


def _seconds_until(block: Block, now: datetime) -> float | None:
    if block.state != BlockState.WAITING:
        return None
    return max(0.0, (block.due - now).total_seconds())
