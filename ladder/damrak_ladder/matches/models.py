"""Ladders, blocks, and what came of them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from damrak_ladder.bots.models import Bot, Version


class Board(models.Model):
    """A board that is not part of the engine. What it is never changes."""

    name = models.CharField(max_length=80, unique=True)
    file = models.TextField()  # of the format damrak-board/1
    created = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Ladder(models.Model):
    """A standing competition: what is played there, and by whom."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=60)
    summary = models.CharField(max_length=300, blank=True)
    # Names of boards, of which each block draws one; "daily:24" is a new board of 24 locations
    # every day, which nobody knows before.
    boards: models.JSONField[list[str], list[str]] = models.JSONField()
    shares: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField()  # by seats
    options: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    control: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    rotations = models.PositiveSmallIntegerField(default=1)  # how often a block goes round
    admits: models.JSONField[list[str], list[str]] = models.JSONField()  # kinds of versions
    house: models.JSONField[list[str], list[str]] = models.JSONField(default=list)  # their specs
    anchors: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(
        default=dict
    )  # the Elo of some of them, by spec
    # The standard deviation of each anchor's Elo; the anchor without one is fixed (anchors.py).
    anchor_errors: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(
        default=dict
    )
    weight = models.FloatField(default=1.0)  # its share of the machine, against other ladders
    enters_all = models.BooleanField(default=True)  # whether new bots are entered by themselves
    is_open = models.BooleanField(default=True)
    created = models.DateTimeField()
    # Tables booked so far, each divided by the versions that were eligible (waits.py).
    clock = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return self.slug


class Entry(models.Model):
    """A bot on a ladder. Whoever leaves keeps the row, and what was played remains."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="entries")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="entries")
    entered = models.DateTimeField()
    left = models.DateTimeField(null=True)
    # How long the bot has waited for a table (waits.py).
    since = models.FloatField(null=True)  # by the ladder's clock; null while it cannot be seated
    waited = models.FloatField(default=0.0)  # before that

    class Meta:
        verbose_name_plural = "entries"
        constraints: ClassVar = [
            models.UniqueConstraint("ladder", "bot", name="entry_once"),
        ]

    def __str__(self) -> str:
        return f"{self.bot} on {self.ladder}"


class FlowClock(models.Model):
    """How far each flow has come, and what may still be played this minute: a single row.

    Whoever schedules locks it first, so that two never give out the same place.
    """

    clock = models.FloatField(default=0.0)
    reached: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(default=dict)
    games_left = models.FloatField(default=0.0)  # of those allowed per minute
    counted = models.DateTimeField(null=True)  # when that was so

    def __str__(self) -> str:
        return f"flows at {self.clock:g}"


class HostState(models.TextChoices):
    """Whether a host may play."""

    TRUSTED = "trusted"
    QUARANTINED = "quarantined"  # its results deviate; staff decides


class Host(models.Model):
    """A machine with a referee, known by its name."""

    name = models.CharField(max_length=100, unique=True)
    state = models.CharField(max_length=12, choices=HostState, default=HostState.TRUSTED)
    reason = models.CharField(max_length=500, blank=True)
    evidence: models.JSONField[Any, Any] = models.JSONField(default=dict)
    control = models.CharField(max_length=200, blank=True)  # where its referee is driven
    lobby = models.CharField(max_length=200, blank=True)  # where remote bots connect
    software = models.CharField(max_length=60, blank=True)
    isolation = models.CharField(max_length=10, blank=True)
    capacity = models.PositiveIntegerField(default=0)
    workers = models.PositiveIntegerField(default=0)  # blocks that it plays at once
    running = models.PositiveIntegerField(default=0)
    waiting: models.JSONField[list[str], list[str]] = models.JSONField(
        default=list
    )  # the remote bots in its lobby, by slug
    runtime: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(
        default=dict, blank=True
    )  # what uploaded bots get here (`damrak_wire.runtime`); empty until it is known
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


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
    rotations = models.PositiveSmallIntegerField(default=1)
    is_mirrored = models.BooleanField()  # whether all matches of a rotation have one seed
    seed = models.BinaryField(max_length=32)
    flow = models.CharField(max_length=80)  # at whose cost: "ladder:amsterdam", "owner:7"
    subject = models.ForeignKey(
        Version, on_delete=models.PROTECT, null=True, related_name="trials"
    )  # for whose sake alone it is played, if it is
    created = models.DateTimeField()

    state = models.CharField(max_length=10, choices=BlockState, default=BlockState.WAITING)
    attempt = models.PositiveIntegerField(default=0)  # the latest; never used again
    tries = models.PositiveIntegerField(default=0)  # attempts since it was queued
    due = models.DateTimeField()  # it is not started before
    lease_until = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=100, blank=True)
    trouble = models.CharField(max_length=500, blank=True)  # why the latest attempt failed
    finished = models.DateTimeField(null=True)
    settled = models.DateTimeField(null=True)  # when all that follows from it had been done
    host = models.ForeignKey(Host, on_delete=models.PROTECT, null=True, related_name="blocks")
    sent = models.DateTimeField(null=True)  # when its host was last told to start it

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
            models.Index(
                "finished",
                name="block_unsettled",
                condition=models.Q(state=BlockState.RECORDED, settled=None),
            ),
            models.Index("ladder", "finished", name="block_of_ladder"),
            models.Index("host", "finished", name="block_of_host"),
        ]

    def __str__(self) -> str:
        return f"block {self.pk}"


class Outcome(models.TextChoices):
    """How an attempt ended."""

    RECORDED = "recorded"
    VOID = "void"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"  # it was recorded, but its host was not to be trusted


class Attempt(models.Model):
    """One attempt to play a block."""

    block = models.ForeignKey(Block, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    owner = models.CharField(max_length=100)
    host = models.ForeignKey(Host, on_delete=models.PROTECT, null=True, related_name="attempts")
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
    version = models.ForeignKey(
        Version, on_delete=models.PROTECT, related_name="seats", db_index=False
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("match", "number", name="seat_number_once"),
        ]
        indexes: ClassVar = [models.Index("version", "id", name="seat_latest_of_version")]

    def __str__(self) -> str:
        return f"seat {self.number} of match {self.match_id}"


class SeatResult(models.Model):
    """How a seat came out of a recorded match. One row a seat, whatever happens."""

    seat = models.OneToOneField(Seat, on_delete=models.CASCADE, related_name="result")
    attempt = models.PositiveIntegerField()
    turn = models.PositiveSmallIntegerField()  # 0 moved first
    place = models.PositiveSmallIntegerField()
    points = models.IntegerField()
    fault = models.CharField(max_length=20, blank=True)

    def __str__(self) -> str:
        return f"place {self.place} for {self.seat_id}"


class SeatLog(models.Model):
    """What is to be known of a seat beside the replay. For the bot's owner and staff only."""

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="logs")
    attempt = models.PositiveIntegerField()
    name = models.CharField(max_length=100, blank=True)  # what the bot called itself
    output = models.TextField(blank=True)
    rejections: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    traceback = models.TextField(blank=True)
    cpu_us = models.PositiveBigIntegerField(default=0)
    memory_bytes = models.PositiveBigIntegerField(default=0)
    ready_us = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("seat", "attempt", name="seat_log_once"),
        ]

    def __str__(self) -> str:
        return f"log of {self.seat_id} in attempt {self.attempt}"


class MatchTimings(models.Model):
    """Where the time of each decision of a recorded match went."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="timings")
    data = models.BinaryField()  # compressed

    class Meta:
        verbose_name_plural = "match timings"

    def __str__(self) -> str:
        return f"timings of match {self.match_id}"


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
    # The seat's, so that the latest of a version are found among those of everybody.
    version = models.ForeignKey(
        Version, on_delete=models.PROTECT, null=True, related_name="faults", db_index=False
    )
    owner = models.CharField(max_length=10, choices=Blame)
    reason = models.CharField(max_length=40)
    detail = models.CharField(max_length=500, blank=True)

    class Meta:
        indexes: ClassVar = [models.Index("version", "id", name="fault_latest_of_version")]

    def __str__(self) -> str:
        return f"{self.reason} by {self.owner}"
