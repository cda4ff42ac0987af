"""API of predictions: the table of forecasters, and the caller's predictions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Router, Schema

from damrak_ladder.api.access import READ, SETTINGS, caller, everybody
from damrak_ladder.api.answers import set_private, set_public
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.requests import Body
from damrak_ladder.matches.models import BlockState
from damrak_ladder.predictions.acceptance import Answer, coming, predict, predictable
from damrak_ladder.predictions.models import Forecaster, Prediction
from damrak_ladder.predictions.scores import FEWEST
from damrak_ladder.tournaments.visibility import visible_matches

LISTED: Final = 50
OWN: Final = 200

router = Router(tags=["predictions"])


class ForecasterShape(Schema):
    """A user by the skill of the predictions; the table has those with at least ten scored ones."""

    username: str
    skill: float
    """How much better the Brier scores are than those of the others together, shrunk."""
    predictions: int
    right: int


class PredictionShape(Schema):
    """A prediction of the winner of a match; scores are null until the result is public."""

    match: int
    seat: int
    created: datetime
    counts: bool
    """Whether it arrived in time to count in the table of forecasters."""
    is_right: bool | None
    score: float | None
    """The Brier score: 0 is the best, 1 the worst."""


class ComingSeat(Schema):
    """A seat of a coming match, which predictions name by its number."""

    seat: int
    bot: str
    version: int


class ComingMatch(Schema):
    """A match that starts soon and whose winner can be predicted; the time is in seconds."""

    match: int
    block: int
    ladder: str | None
    starts_in: float
    seats: list[ComingSeat]


class NewPrediction(Body):
    """The seat that wins."""

    seat: Annotated[int, Field(ge=0, le=3)]


@router.get(
    "/predictions",
    auth=everybody,
    response=list[ForecasterShape],
    operation_id="list_forecasters",
    summary="The best forecasters",
)
def list_forecasters(request: HttpRequest, response: HttpResponse) -> list[ForecasterShape]:
    """List up to 50 users by the skill of their predictions, best first."""
    set_public(response, 60)
    best = Forecaster.objects.filter(predictions__gte=FEWEST).select_related("user")
    return [_forecaster(one) for one in best.order_by("-skill", "user")[:LISTED]]


@router.get(
    "/predictions/coming",
    auth=everybody,
    response=list[ComingMatch],
    operation_id="list_coming_matches",
    summary="The next matches to predict",
)
def list_coming_matches(request: HttpRequest, response: HttpResponse) -> list[ComingMatch]:
    """List up to six matches that wait, in the order of their start."""
    set_public(response, 1)
    now = timezone.now()
    full = coming().select_related("block__ladder").prefetch_related("seats__version__bot")
    return [
        ComingMatch(
            match=match.pk,
            block=match.block_id,
            ladder=None if match.block.ladder is None else match.block.ladder.slug,
            starts_in=max(0.0, (match.block.due - now).total_seconds()),
            seats=[
                ComingSeat(seat=one.number, bot=one.version.bot.slug, version=one.version.number)
                for one in sorted(match.seats.all(), key=lambda one: one.number)
            ],
        )
        for match in full
    ]


@router.get(
    "/me/forecaster",
    auth=READ,
    response=ForecasterShape,
    operation_id="get_forecaster",
    summary="Your skill",
)
@refuses("not-found")
def get_forecaster(request: HttpRequest, response: HttpResponse) -> ForecasterShape:
    """Return the caller's skill; 404 before the first prediction is scored."""
    set_private(response)
    found = Forecaster.objects.filter(user=caller(request)).select_related("user").first()
    if found is None:
        raise not_found("scored prediction of yours", "GET /api/v1/me/predictions lists all")
    return _forecaster(found)


@router.get(
    "/me/predictions",
    auth=READ,
    response=list[PredictionShape],
    operation_id="list_predictions",
    summary="Your predictions",
)
def list_predictions(request: HttpRequest, response: HttpResponse) -> list[PredictionShape]:
    """List the caller's latest predictions of matches that everyone may see."""
    set_private(response)
    rows = caller(request).predictions.filter(match__in=visible_matches(None)).order_by("-pk")
    return [_shape(one) for one in rows[:OWN]]


@router.put(
    "/matches/{int:match_id}/prediction",
    auth=SETTINGS,
    response=PredictionShape,
    operation_id="predict_winner",
    summary="Predict the winner of a match",
)
@refuses("not-open")
def predict_winner(
    request: HttpRequest, response: HttpResponse, match_id: int, new: NewPrediction
) -> PredictionShape:
    """Predict the winner of a match that waits. The first prediction counts.

    On the site, predictions are also open during the first turns, which a page follows.
    """
    set_private(response)
    match = predictable(match_id) if match_id < 1 << 63 else None
    if match is None:
        cure = "GET /api/v1/matches?state=waiting lists matches"
        raise not_found(f"match {match_id} whose winner can be predicted", cure)
    answer = Answer.LATE
    if match.block.state == BlockState.WAITING:
        answer = predict(caller(request), match, new.seat, None, timezone.now())
    if answer is Answer.LATE:
        detail = f"match {match_id} has begun, or has no seat {new.seat}"
        raise Problem(409, "not-open", detail, "predict a match that waits")
    return _shape(Prediction.objects.get(user=caller(request), match=match))


def _forecaster(one: Forecaster) -> ForecasterShape:
    return ForecasterShape(
        username=one.user.username, skill=one.skill, predictions=one.predictions, right=one.right
    )


def _shape(made: Prediction) -> PredictionShape:
    return PredictionShape(
        match=made.match_id,
        seat=made.seat,
        created=made.created,
        counts=made.counts,
        is_right=made.is_right,
        score=made.own_score,
    )
