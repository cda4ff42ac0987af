"""Brier scores of predictions, and the skill of a forecaster.

A prediction names one seat. It counts as the forecast that this seat wins with the probability in
the middle between an even chance and certainty, and that the others share the rest: 75 % in a game
of two. The score is half the squared distance from what happened, from 0 (best) to 1. The field's
forecast is the mean of the predictions of all other users and of one even forecast, so that a user
is never compared with himself or herself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

FEWEST: Final = 10
"""The number of scored predictions from which a user is listed."""

PRIOR: Final = 10
"""The number of imaginary predictions, as good as the field's, that shrink the skill of a user."""


def forecast_of(seats: int, pick: int) -> tuple[float, ...]:
    """Return the probabilities of all seats that a prediction stands for."""
    chance = (1 + 1 / seats) / 2
    rest = (1 - chance) / (seats - 1)
    return tuple(chance if seat == pick else rest for seat in range(seats))


def field_forecast(seats: int, picks: Sequence[int]) -> tuple[float, ...]:
    """Return the mean of these predictions and of one even forecast."""
    forecasts = [(1 / seats,) * seats, *(forecast_of(seats, pick) for pick in picks)]
    return tuple(sum(column) / len(forecasts) for column in zip(*forecasts, strict=True))


def brier(forecast: Sequence[float], winners: Collection[int]) -> float:
    """Return the score of a forecast; winners share the result."""
    share = 1 / len(winners)
    happened = (share if seat in winners else 0.0 for seat in range(len(forecast)))
    return sum((one - other) ** 2 for one, other in zip(forecast, happened, strict=True)) / 2


def skill_of(predictions: int, own_sum: float, field_sum: float) -> float:
    """Return by how much the mean score is better than the field's, shrunk towards 0."""
    return (field_sum - own_sum) / (predictions + PRIOR)
