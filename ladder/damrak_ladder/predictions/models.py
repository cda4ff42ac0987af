"""Predictions of users, and the sums of their scores. Predictions of visitors are not stored."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from damrak_ladder.matches.models import Match


class Prediction(models.Model):
    """A user's prediction of the winner of a match; it is scored once."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="predictions"
    )
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="predictions")
    seat = models.PositiveSmallIntegerField()
    created = models.DateTimeField()
    counts = models.BooleanField(default=True, db_default=True)  # else it came too late
    is_right = models.BooleanField(null=True)  # null until it is scored, like the two scores
    own_score = models.FloatField(null=True)  # Brier score: 0 is best, 1 is worst
    field_score = models.FloatField(null=True)  # of the other users' predictions that count

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("user", "match", name="prediction_once"),
        ]
        indexes: ClassVar = [
            models.Index("match", condition=models.Q(own_score=None), name="prediction_unscored"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} on match {self.match_id}"


class Forecaster(models.Model):
    """The sums over the scored predictions of a user."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="forecaster",
    )
    predictions = models.PositiveIntegerField(default=0)
    right = models.PositiveIntegerField(default=0)
    own_sum = models.FloatField(default=0.0)
    field_sum = models.FloatField(default=0.0)
    skill = models.FloatField(default=0.0)  # shrunk, see scores.py

    class Meta:
        indexes: ClassVar = [models.Index(fields=["-skill", "user"], name="forecaster_by_skill")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.predictions} predictions"
