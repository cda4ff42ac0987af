"""Tests between two versions, and canaries."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Block, Ladder


class TrialState(models.TextChoices):
    """The state of a test."""

    RUNNING = "running"
    BETTER = "better"  # the candidate is better by the upper bound rather than by the lower
    NOT_BETTER = "not better"  # vice versa
    UNDECIDED = "undecided"  # all blocks were played without a verdict
    CANCELLED = "cancelled"


class Trial(models.Model):
    """A sequential test of whether one version is better than another, started by an owner."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="trials"
    )
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="trials")
    candidate = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    baseline = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    elo0 = models.FloatField()
    elo1 = models.FloatField()
    alpha = models.FloatField()
    beta = models.FloatField()
    most = models.PositiveIntegerField()  # limit of blocks
    state = models.CharField(max_length=12, choices=TrialState, default=TrialState.RUNNING)
    created = models.DateTimeField()
    ended = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar = [models.Index("state", name="trial_state")]

    def __str__(self) -> str:
        return f"{self.candidate} against {self.baseline}"


class TrialBlock(models.Model):
    """A block of a test, and the candidate's score in it, from 0 to 1."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="blocks")
    block = models.OneToOneField(Block, on_delete=models.CASCADE, related_name="trial_block")
    score = models.FloatField(null=True)
    is_late = models.BooleanField(default=False)  # it was recorded after the verdict

    def __str__(self) -> str:
        return f"{self.block} of test {self.trial_id}"


class CanaryState(models.TextChoices):
    """The state of a canary."""

    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Canary(models.Model):
    """A version that plays against the field of a ladder for its own estimate only."""

    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="canaries")
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="canaries")
    most = models.PositiveIntegerField()  # limit of blocks
    state = models.CharField(max_length=10, choices=CanaryState, default=CanaryState.RUNNING)
    created = models.DateTimeField()
    ended = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "canaries"
        constraints: ClassVar = [
            models.UniqueConstraint("version", "ladder", name="canary_once"),
        ]

    def __str__(self) -> str:
        return f"{self.version} on {self.ladder}"
