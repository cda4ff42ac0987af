"""The database tables of the ratings: their inputs, and the published numbers.

Each block that counts has one compact row, from which everything else here follows: the tallies
that pages show, the estimates between fits, the fits, and the numbers they publish.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Block, Ladder, Match


class Progress(models.Model):
    """The state of the ratings of a ladder. This row is locked before any of them is changed."""

    ladder = models.OneToOneField(
        Ladder, on_delete=models.CASCADE, primary_key=True, related_name="progress"
    )
    serial = models.PositiveBigIntegerField(default=0)  # of the latest counted block
    blocks = models.PositiveBigIntegerField(default=0)
    withdrawn = models.PositiveBigIntegerField(default=0)  # blocks that no longer count
    fit = models.PositiveIntegerField(default=0)  # the number of the latest fit
    # Lease of the process that calculates the next fit.
    fitting_until = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "progress"

    def __str__(self) -> str:
        return f"{self.ladder_id}: {self.blocks} blocks, fit {self.fit}"


class Counted(models.Model):
    """A block that counts: its players and results (packed_blocks.py)."""

    block = models.OneToOneField(
        Block, on_delete=models.PROTECT, primary_key=True, related_name="counted"
    )
    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="counted")
    serial = models.PositiveBigIntegerField()  # the order in which blocks were counted
    results = models.BinaryField()
    points = models.BinaryField()

    class Meta:
        verbose_name_plural = "counted"
        constraints: ClassVar = [
            models.UniqueConstraint("ladder", "serial", name="counted_serial_once"),
        ]
        indexes: ClassVar = [models.Index("ladder", "block", name="counted_of_ladder")]

    def __str__(self) -> str:
        return f"block {self.block_id}"


class Tally(models.Model):
    """The results of a version at tables of one size at one turn."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="tallies")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="tallies")
    seats = models.PositiveSmallIntegerField()
    turn = models.PositiveSmallIntegerField()  # 0 moved first
    games = models.IntegerField(default=0)
    blocks = models.IntegerField(default=0)  # counted at turn 0; otherwise 0
    halves = models.IntegerField(default=0)  # 2 for each rival beaten, 1 for each tie
    first = models.IntegerField(default=0)  # games in first place, shared or not
    second = models.IntegerField(default=0)
    third = models.IntegerField(default=0)
    fourth = models.IntegerField(default=0)
    points = models.BigIntegerField(default=0)
    faults = models.IntegerField(default=0)

    class Meta:
        verbose_name_plural = "tallies"
        constraints: ClassVar = [
            models.UniqueConstraint("ladder", "version", "seats", "turn", name="tally_once"),
        ]
        indexes: ClassVar = [models.Index("version", name="tally_of_version")]

    def __str__(self) -> str:
        return f"{self.games} games of {self.version_id}"


class Meeting(models.Model):
    """The results of a version against another one. Each pair has a row for either version.

    The columns are sums over blocks of a block's half points against the opponent (2 for a win, 1
    for a tie) and of the highest possible number of them, as required by estimates whose unit is
    the block.
    """

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="meetings")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="meetings")
    opponent = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    blocks = models.IntegerField(default=0)
    games = models.IntegerField(default=0)
    wins = models.IntegerField(default=0)
    ties = models.IntegerField(default=0)
    halves_squared = models.BigIntegerField(default=0)
    halves_by_most = models.BigIntegerField(default=0)
    most_squared = models.BigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("ladder", "version", "opponent", name="meeting_once"),
        ]
        indexes: ClassVar = [models.Index("version", name="meeting_of_version")]

    def __str__(self) -> str:
        return f"{self.version_id} met {self.opponent_id} in {self.blocks} blocks"


class Running(models.Model):
    """The current estimate of a version's strength, for matchmaking."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="running")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="running")
    elo = models.FloatField()
    error = models.FloatField()  # standard error, in Elo
    recent: models.JSONField[list[int], list[int]] = models.JSONField(default=list)  # opponents

    class Meta:
        verbose_name_plural = "running"
        constraints: ClassVar = [
            models.UniqueConstraint("ladder", "version", name="running_once"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.elo:.0f}"


class Fit(models.Model):
    """One fit of all blocks of a ladder; append-only."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="fits")
    number = models.PositiveIntegerField()  # from 1
    at = models.DateTimeField()
    blocks = models.PositiveBigIntegerField()
    games = models.PositiveBigIntegerField()
    versions = models.PositiveIntegerField()
    last_block = models.PositiveBigIntegerField()
    serial = models.PositiveBigIntegerField()  # blocks counted later are not included
    withdrawn = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)  # SHA-256 of all inputs
    anchors: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField()
    anchor_errors: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(
        default=dict
    )  # standard deviations; none for fixed anchors
    anchor_checks: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list)
    middle = models.FloatField()
    turns: models.JSONField[dict[str, list[float]], dict[str, list[float]]] = models.JSONField()
    effects: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField()
    seconds = models.FloatField()  # duration
    lines = models.PositiveIntegerField()  # number of lines added to the ledger

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint("ladder", "number", name="fit_once")]
        indexes: ClassVar = [models.Index("ladder", "at", name="fit_of_day")]

    def __str__(self) -> str:
        return f"fit {self.number} of {self.ladder_id}"


class Standing(models.Model):
    """The current published numbers of a version. `seats` is 0 for all tables together."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="standings")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="standings")
    seats = models.PositiveSmallIntegerField()
    elo = models.IntegerField()
    low = models.IntegerField()
    high = models.IntegerField()
    # Only live versions are listed, so that a bot's past versions do not crowd the list.
    rank = models.PositiveIntegerField(null=True)
    rank_low = models.PositiveIntegerField(null=True)  # the best possible rank
    rank_high = models.PositiveIntegerField(null=True)
    band = models.PositiveIntegerField(null=True)
    first = models.FloatField(null=True)  # probability of being the strongest, in hundredths
    blocks = models.PositiveIntegerField()
    games = models.PositiveIntegerField()
    # The state that the owner was notified of: a rank, and its range.
    told = models.PositiveIntegerField(null=True)
    told_low = models.PositiveIntegerField(null=True)
    told_high = models.PositiveIntegerField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("ladder", "seats", "version", name="standing_once"),
        ]
        indexes: ClassVar = [
            models.Index("ladder", "seats", "rank", name="standing_by_rank"),
            models.Index("version", name="standing_of_version"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.elo}"


class Contenders(models.Model):
    """Draws of the strengths of the first versions of a list, from the latest fit, for forecasts.

    They are replaced with every fit. `strengths` has a row of little-endian 16-bit Elo for each
    draw.
    """

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="contenders")
    seats = models.PositiveSmallIntegerField()
    versions: models.JSONField[list[int], list[int]] = models.JSONField()  # keys, by rank
    strengths = models.BinaryField()

    class Meta:
        verbose_name_plural = "contenders"
        constraints: ClassVar = [
            models.UniqueConstraint("ladder", "seats", name="contenders_once"),
        ]

    def __str__(self) -> str:
        return f"{len(self.versions)} of {self.ladder_id}"


class Line(models.Model):
    """A line of the ledger: the numbers published from this fit on, because they had changed.

    Lines are only added. The rank is that of the time of the fit; a version that is overtaken by
    others without a change of its own gets no new line.
    """

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="lines")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="lines")
    seats = models.PositiveSmallIntegerField()
    fit = models.PositiveIntegerField()  # its number
    at = models.DateTimeField()
    elo = models.IntegerField()
    low = models.IntegerField()
    high = models.IntegerField()
    rank = models.PositiveIntegerField(null=True)
    rank_low = models.PositiveIntegerField(null=True)
    rank_high = models.PositiveIntegerField(null=True)
    band = models.PositiveIntegerField(null=True)
    first = models.FloatField(null=True)
    blocks = models.PositiveIntegerField()
    games = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("ladder", "seats", "version", "fit", name="line_once"),
        ]
        indexes: ClassVar = [
            models.Index("ladder", "seats", "version", "at", name="line_of_day"),
            models.Index("at", "id", name="line_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.elo} from fit {self.fit}"


class Order(models.Model):
    """The order of a table at the end of the day whose last fit this was (fit/daily_order.py).

    It follows from the ledger, but finding it takes a lookup for each version that has ever played.
    """

    fit = models.ForeignKey(Fit, on_delete=models.CASCADE, related_name="orders")
    seats = models.PositiveSmallIntegerField()
    listed = models.PositiveIntegerField()  # the number of listed versions; they come first
    rows = models.BinaryField()  # lines of the ledger, then versions, then their Elo

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint("fit", "seats", name="order_once")]

    def __str__(self) -> str:
        return f"{self.listed} of fit {self.fit_id}"


class NotableKind(models.TextChoices):
    """The reason why a game is notable."""

    UPSET = "upset"  # `value` is the probability of winning that the winner had
    RECORD = "record"  # points
    CLOSE = "close"  # points between the first and the second


class Notable(models.Model):
    """A notable game and its winner. Few are kept: see counts/notable_games.py."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="notable")
    kind = models.CharField(max_length=10, choices=NotableKind)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="notable")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="notable")
    value = models.FloatField()
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "notable"

    def __str__(self) -> str:
        return f"{self.kind} in match {self.match_id}"
