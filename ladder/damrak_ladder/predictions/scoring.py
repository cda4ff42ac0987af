"""Scoring of predictions, by a periodic duty: each one exactly once, when its result is public."""

from __future__ import annotations

from typing import Final

from django.db import transaction

from damrak_ladder.matches.models import BlockState, SeatResult
from damrak_ladder.predictions.models import Forecaster, Prediction
from damrak_ladder.predictions.scores import brier, field_forecast, forecast_of, skill_of
from damrak_ladder.tournaments.visibility import visible, visible_matches

MOST: Final = 200
"""The number of matches that one run scores."""


def score_predictions() -> int:
    """Score the predictions of matches whose results are public; return their number.

    A score is final: if a result is withdrawn later, it stays.
    """
    waiting = Prediction.objects.filter(own_score=None).values("match")
    ended = visible_matches(None).filter(pk__in=waiting, block__state=BlockState.RECORDED)
    return sum(_score(pk) for pk in list(ended.order_by("pk").values_list("pk", flat=True)[:MOST]))


def _score(match: int) -> int:
    with transaction.atomic():
        locked = Prediction.objects.select_for_update().filter(match=match, own_score=None)
        rows = list(locked.order_by("user"))
        results = visible(SeatResult, None).filter(seat__match=match)
        places = dict(results.values_list("seat__number", "place"))
        winners = {seat for seat, place in places.items() if place == 1}
        if not rows or not winners:
            return 0
        for row in rows:
            others = [one.seat for one in rows if one.counts and one is not row]
            row.is_right = row.seat in winners
            row.own_score = brier(forecast_of(len(places), row.seat), winners)
            row.field_score = brier(field_forecast(len(places), others), winners)
            if row.counts:
                _add(row.user_id, row.own_score, row.field_score, is_right=row.is_right)
        Prediction.objects.bulk_update(rows, ["is_right", "own_score", "field_score"])
        return len(rows)


def _add(user: int, own: float, field: float, *, is_right: bool) -> None:
    Forecaster.objects.get_or_create(user_id=user)
    row = Forecaster.objects.select_for_update().get(user_id=user)
    row.predictions += 1
    row.right += is_right
    row.own_sum += own
    row.field_sum += field
    row.skill = skill_of(row.predictions, row.own_sum, row.field_sum)
    row.save()
