"""API of response times, in figures and decision by decision."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema

from damrak_ladder.api.access import READ
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.matches import own_seat
from damrak_ladder.matches.timings import Timings, timings_of
from damrak_ladder.profiles.timing import Pace, decisions_of, pace_of

router = Router(tags=["matches"])


class TimeSpread(Schema):
    """Times of one part of all decisions, in microseconds; 5 % took longer than `slow`."""

    median: int
    slow: int
    most: int
    total: int


class ResponseTimes(Schema):
    """Response times of the latest games: in total, and their parts."""

    decisions: int
    whole: TimeSpread
    thinking: TimeSpread
    transport: TimeSpread
    queue: TimeSpread


class DecisionTime(Schema):
    """Where the time of a decision went, in microseconds: the sum is that until the answer."""

    number: int
    """Among the decisions of the seat, from 1."""
    thinking: int
    transport: int
    queue: int
    """The time in the referee."""


class SeatTimes(Schema):
    """The response times of a seat in a match; null and empty without recorded decisions."""

    match: int
    seat: int
    pace: ResponseTimes | None
    decisions: list[DecisionTime]


@router.get(
    "/matches/{int:match_id}/seats/{int:seat}/times",
    auth=READ,
    response=SeatTimes,
    operation_id="get_seat_times",
    summary="The response times of a bot in a match",
)
@refuses("not-yours", "second-factor-needed")
def get_seat_times(
    request: HttpRequest, response: HttpResponse, match_id: int, seat: int
) -> SeatTimes:
    """Return the response times of the bot in a seat, decision by decision; for its owner."""
    set_private(response)
    own_seat(request, match_id, seat)
    whole = timings_of(match_id)
    timings = Timings() if whole is None else whole.of_seat(seat)
    return SeatTimes(
        match=match_id,
        seat=seat,
        pace=response_times(pace_of(timings)),
        decisions=[DecisionTime.from_orm(one) for one in decisions_of(timings)],
    )


def response_times(pace: Pace | None) -> ResponseTimes | None:
    """Return figures of response times in the form of the API."""
    return None if pace is None else ResponseTimes.from_orm(pace)
