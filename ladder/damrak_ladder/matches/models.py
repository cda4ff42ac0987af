"""Ladders, blocks, and what came of them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from damrak_ladder.bots.models import Version


class Ladder(models.Model):
    """A standing competition: what is played there, and by whom."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=60)
    boards: models.JSONField[list[str], list[str]] = models.JSONField()
    shares: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField()  # by seats
    options: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    control: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    admits: models.JSONField[list[str], list[str]] = models.JSONField()  # kinds of versions
    is_open = models.BooleanField(default=True)
    created = models.DateTimeField()

    def __str__(self) -> str:
        return self.slug


class Purpose(models.TextChoices):
    """What a block is played for."""

    LADDER = "ladder"
    QUALIFICATION = "qualification"
    CANARY = "canary"
    TEST = "test"
    TOURNAMENT = "tournament"


class BlockState(models.TextChoices):
    """How far a block is."""

    WAITING = "waiting"
    RUNNING = "running"
    RECORDED = "recorded"
    DEAD = "dead"  # tried too often; an organiser may queue it again


class Block(models.Model):
    """All rotations of one table. It is recorded as a whole, once, or it never happened."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, null=True, related_name="blocks")
    purpose = models.CharField(max_length=15, choices=Purpose)
    board = models.CharField(max_length=200)
    options: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    control: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    is_mirrored = models.BooleanField()  # whether all its matches have one seed
    seed = models.BinaryField(max_length=32)
    created = models.DateTimeField()

    state = models.CharField(max_length=10, choices=BlockState, default=BlockState.WAITING)
    attempt = models.PositiveIntegerField(default=0)  # the latest; never used again
    tries = models.PositiveIntegerField(default=0)  # attempts since it was queued
    due = models.DateTimeField()  # it is not started before
    lease_until = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=100, blank=True)
    trouble = models.CharField(max_length=500, blank=True)  # why the latest attempt failed
    finished = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(state=BlockState.RUNNING, lease_until__isnull=False)
                | (~models.Q(state=BlockState.RUNNING) & models.Q(lease_until=None)),
                name="block_runs_on_a_lease",
            ),
        ]
        indexes: ClassVar = [
            models.Index("state", "due", name="block_due"),
            models.Index("state", "lease_until", name="block_lease"),
        ]

    def __str__(self) -> str:
        return f"block {self.pk}"


class Outcome(models.TextChoices):
    """How an attempt ended."""

    RECORDED = "recorded"
    VOID = "void"
    EXPIRED = "expired"


class Attempt(models.Model):
    """One attempt to play a block."""

    block = models.ForeignKey(Block, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    owner = models.CharField(max_length=100)
    started = models.DateTimeField()
    ended = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    detail = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("block", "number", name="attempt_number_once"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} at block {self.block_id}"


class Match(models.Model):
    """One game of a block."""

    block = models.ForeignKey(Block, on_delete=models.CASCADE, related_name="matches")
    number = models.PositiveSmallIntegerField()  # from 0 within its block
    replay = models.CharField(max_length=64, blank=True)  # its hash, once recorded

    class Meta:
        verbose_name_plural = "matches"
        constraints: ClassVar = [
            models.UniqueConstraint("block", "number", name="match_number_once"),
        ]

    def __str__(self) -> str:
        return f"match {self.pk}"


class Seat(models.Model):
    """Who sits where in a match."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="seats")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("match", "number", name="seat_number_once"),
        ]

    def __str__(self) -> str:
        return f"seat {self.number} of match {self.match_id}"


class SeatResult(models.Model):
    """How a seat came out of a recorded match. One row a seat, whatever happens."""

    seat = models.OneToOneField(Seat, on_delete=models.CASCADE, related_name="result")
    attempt = models.PositiveIntegerField()
    place = models.PositiveSmallIntegerField()
    points = models.IntegerField()
    fault = models.CharField(max_length=20, blank=True)

    def __str__(self) -> str:
        return f"place {self.place} for {self.seat_id}"


class Blame(models.TextChoices):
    """Whose fault something was."""

    BOT = "bot"
    HOST = "host"
    NETWORK = "network"


class Fault(models.Model):
    """Something went wrong in an attempt, and whose fault it was."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="faults")
    match = models.ForeignKey(Match, on_delete=models.CASCADE, null=True, related_name="faults")
    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, null=True, related_name="faults")
    owner = models.CharField(max_length=10, choices=Blame)
    reason = models.CharField(max_length=40)
    detail = models.CharField(max_length=500, blank=True)

    def __str__(self) -> str:
        return f"{self.reason} by {self.owner}"
