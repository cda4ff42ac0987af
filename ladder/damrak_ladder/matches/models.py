"""The database tables of ladders, hosts, blocks and their results."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.message_codes.model_field import MessageField
from damrak_ladder.time_ordered_ids import ShortForm, TimeOrderedIdField, new_id


class Board(models.Model):
    """A board that is not part of the engine. Its content never changes."""

    name = models.CharField(max_length=80, unique=True)
    file = models.TextField()  # in the format damrak-board/1
    created = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Ladder(models.Model):
    """A permanent competition: its games, and the bots that may play."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=60)
    summary = models.CharField(max_length=300, blank=True)
    # Names of boards, one of which is drawn for each block; "daily:24" is a new board of 24
    # locations every day, which is not known in advance.
    boards: models.JSONField[list[str], list[str]] = models.JSONField()
    shares: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField()  # by seats
    options: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    control: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    rotations = models.PositiveSmallIntegerField(default=1)  # of the seats, per block
    admits: models.JSONField[list[str], list[str]] = models.JSONField()  # kinds of versions
    house: models.JSONField[list[str], list[str]] = models.JSONField(default=list)  # specs
    # The Elo of some house bots, by spec.
    anchors: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(default=dict)
    # The standard deviation of each anchor's Elo; the anchor without one is fixed (anchors.py).
    anchor_errors: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(
        default=dict
    )
    weight = models.FloatField(default=1.0)  # its share of the machine, relative to other ladders
    enters_all = models.BooleanField(default=True)  # whether new bots are entered automatically
    is_open = models.BooleanField(default=True)
    created = models.DateTimeField()
    # The sum over booked tables of 1 / eligible versions (waiting_time.py).
    clock = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return self.slug


class Entry(models.Model):
    """A bot on a ladder. A bot that leaves keeps the row, and its results remain."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="entries")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="entries")
    entered = models.DateTimeField()
    left = models.DateTimeField(null=True)
    # The time that the bot has waited for a table (waiting_time.py).
    since = models.FloatField(null=True)  # by the ladder's clock; null while it cannot be seated
    waited = models.FloatField(default=0.0)  # before `since`

    class Meta:
        verbose_name_plural = "entries"
        constraints: ClassVar = [models.UniqueConstraint("ladder", "bot", name="entry_once")]

    def __str__(self) -> str:
        return f"{self.bot} on {self.ladder}"


class FlowClock(models.Model):
    """The clocks of all flows, and the remaining capacity of this minute: a single row.

    Schedulers lock it first, so that no two allocate the same capacity.
    """

    clock = models.FloatField(default=0.0)
    reached: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(default=dict)
    games_left = models.FloatField(default=0.0)  # of those allowed per minute
    counted = models.DateTimeField(null=True)  # the time of `games_left`

    def __str__(self) -> str:
        return f"flows at {self.clock:g}"


class HostState(models.TextChoices):
    """Whether a host may play."""

    TRUSTED = "trusted"
    QUARANTINED = "quarantined"  # its results deviate; staff decide about it


class Host(models.Model):
    """A machine with a referee, identified by its name."""

    name = models.CharField(max_length=100, unique=True)
    state = models.CharField(max_length=12, choices=HostState, default=HostState.TRUSTED)
    reason = MessageField()
    evidence: models.JSONField[Any, Any] = models.JSONField(default=dict)
    control = models.CharField(max_length=200, blank=True)  # address of the Control service
    lobby = models.CharField(max_length=200, blank=True)  # the address for remote bots
    software = models.CharField(max_length=60, blank=True)
    isolation = models.CharField(max_length=10, blank=True)
    capacity = models.PositiveIntegerField(default=0)
    workers = models.PositiveIntegerField(default=0)  # number of blocks that it plays at once
    running = models.PositiveIntegerField(default=0)
    # The remote bots in its lobby, by slug.
    waiting: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    runtime: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(
        default=dict, blank=True
    )  # the runtime of uploaded bots (`damrak_wire.runtime`); empty until it is known
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Purpose(models.TextChoices):
    """The purpose of a block."""

    LADDER = "ladder"
    QUALIFICATION = "qualification"
    CANARY = "canary"
    TEST = "test"
    TOURNAMENT = "tournament"
    PLAY = "play"  # a single game of people, which nothing counts


class BlockState(models.TextChoices):
    """The state of a block."""

    WAITING = "waiting"
    RUNNING = "running"
    RECORDED = "recorded"
    DEAD = "dead"  # failed too often; an organiser may queue it again


class Block(models.Model):
    """All rotations of one table. It is recorded once, atomically."""

    id = TimeOrderedIdField(primary_key=True, default=new_id, editable=False)
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, null=True, related_name="blocks")
    purpose = models.CharField(max_length=15, choices=Purpose)
    board = models.CharField(max_length=200)
    options: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    control: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    rotations = models.PositiveSmallIntegerField(default=1)
    is_mirrored = models.BooleanField()  # whether all matches of a rotation have one seed
    seed = models.BinaryField(max_length=32)
    flow = models.CharField(max_length=80)  # as in "ladder:amsterdam", "owner:7"
    # The only version that it is played for, if there is one.
    subject = models.ForeignKey(Version, models.PROTECT, null=True, related_name="trials")
    created = models.DateTimeField()

    state = models.CharField(max_length=10, choices=BlockState, default=BlockState.WAITING)
    attempt = models.PositiveIntegerField(default=0)  # the latest; numbers are never reused
    tries = models.PositiveIntegerField(default=0)  # attempts since it was queued
    due = models.DateTimeField()  # it does not start earlier
    lease_until = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=100, blank=True)
    trouble = MessageField()  # failure of the latest attempt
    finished = models.DateTimeField(null=True)
    settled = models.DateTimeField(null=True)  # the time when all consequences had been processed
    host = models.ForeignKey(Host, on_delete=models.PROTECT, null=True, related_name="blocks")
    sent = models.DateTimeField(null=True)  # the time when its host was last asked to start it

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
            models.Index(
                "finished", "id", condition=models.Q(state=BlockState.RECORDED), name="block_ended"
            ),
            models.Index("host", "finished", name="block_of_host"),
            models.Index(ShortForm("id"), name="block_short_form"),
        ]

    def __str__(self) -> str:
        return f"block {self.pk}"


class Outcome(models.TextChoices):
    """The outcome of an attempt."""

    RECORDED = "recorded"
    VOID = "void"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"  # it was recorded, but its host was not trustworthy


class Attempt(models.Model):
    """One attempt to play a block."""

    block = models.ForeignKey(Block, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    owner = models.CharField(max_length=100)
    host = models.ForeignKey(Host, on_delete=models.PROTECT, null=True, related_name="attempts")
    started = models.DateTimeField()
    ended = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    detail = MessageField()  # why it was not recorded

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("block", "number", name="attempt_number_once"),
        ]
        indexes: ClassVar = [models.Index("outcome", "id", name="attempt_latest_of_outcome")]

    def __str__(self) -> str:
        return f"attempt {self.number} at block {self.block_id}"


class Match(models.Model):
    """One game of a block."""

    id = TimeOrderedIdField(primary_key=True, default=new_id, editable=False)
    block = models.ForeignKey(Block, on_delete=models.CASCADE, related_name="matches")
    number = models.PositiveSmallIntegerField()  # from 0 within its block
    replay = models.CharField(max_length=64, blank=True)  # its hash, once recorded

    class Meta:
        verbose_name_plural = "matches"
        constraints: ClassVar = [
            models.UniqueConstraint("block", "number", name="match_number_once")
        ]
        indexes: ClassVar = [models.Index(ShortForm("id"), name="match_short_form")]

    def __str__(self) -> str:
        return f"match {self.pk}"


class Seat(models.Model):
    """A version's place in a match."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    version = models.ForeignKey(Version, models.PROTECT, related_name="seats", db_index=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("match", "number", name="seat_number_once"),
        ]
        indexes: ClassVar = [models.Index("version", "id", name="seat_latest_of_version")]

    def __str__(self) -> str:
        return f"seat {self.number} of match {self.match_id}"


class SeatResult(models.Model):
    """The result of a seat in a recorded match. Every seat has exactly one row."""

    seat = models.OneToOneField(Seat, on_delete=models.CASCADE, related_name="result")
    attempt = models.PositiveIntegerField()
    turn = models.PositiveSmallIntegerField()  # 0 moved first
    place = models.PositiveSmallIntegerField()
    points = models.IntegerField()
    fault = models.CharField(max_length=20, blank=True)

    def __str__(self) -> str:
        return f"place {self.place} for {self.seat_id}"


class SeatLog(models.Model):
    """The data of a seat that is not in the replay. Only for the bot's owner and staff."""

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="logs")
    attempt = models.PositiveIntegerField()
    name = models.CharField(max_length=100, blank=True)  # the name that the bot reported
    output = models.TextField(blank=True)
    rejections: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    traceback = models.TextField(blank=True)
    cpu_us = models.PositiveBigIntegerField(default=0)
    memory_bytes = models.PositiveBigIntegerField(default=0)
    ready_us = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint("seat", "attempt", name="seat_log_once")]

    def __str__(self) -> str:
        return f"log of {self.seat_id} in attempt {self.attempt}"


class MatchTimings(models.Model):
    """The durations of the parts of each decision of a recorded match."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="timings")
    data = models.BinaryField()  # compressed

    class Meta:
        verbose_name_plural = "match timings"

    def __str__(self) -> str:
        return f"timings of match {self.match_id}"


class Blame(models.TextChoices):
    """The party responsible for a fault."""

    BOT = "bot"
    HOST = "host"
    NETWORK = "network"


class Fault(models.Model):
    """A fault in an attempt, and the party responsible for it."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="faults")
    match = models.ForeignKey(Match, on_delete=models.CASCADE, null=True, related_name="faults")
    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, null=True, related_name="faults")
    # That of the seat, stored here so that an index finds the latest faults of a version.
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
