"""Stories of days, and what is needed to find them in one pass over the counted blocks."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Ladder, Match
from damrak_ladder.message_codes.model_field import MessageField


class StoryKind(models.TextChoices):
    """The kind of a story."""

    RECORD = "record"
    UPSET = "upset"
    COMEBACK = "comeback"
    STREAK = "streak"
    CONTRACTS = "contracts"
    FIRST_WIN = "first-win"
    ONE_POINT = "one-point"


class Story(models.Model):
    """A notable game or run. Few are kept for each kind, ladder and day."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="stories")
    kind = models.CharField(max_length=10, choices=StoryKind)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="stories")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="stories")
    told = MessageField()
    worth = models.FloatField()  # stories of a day are sorted by it
    day = models.DateField()  # UTC
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "stories"
        constraints: ClassVar = [
            models.UniqueConstraint("kind", "match", "version", name="story_once"),
        ]
        indexes: ClassVar = [models.Index("day", "worth", name="story_of_day")]

    def __str__(self) -> str:
        return f"{self.kind} in match {self.match_id}"


class Run(models.Model):
    """The wins of a version on a ladder, and its games won in a row."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="runs")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="runs")
    wins = models.PositiveIntegerField(default=0)
    current = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint("ladder", "version", name="run_once")]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.current} in a row"


class RecordKind(models.TextChoices):
    """The kind of a record of a ladder."""

    POINTS = "points"
    LEAD = "lead"
    STREAK = "streak"


class Record(models.Model):
    """The best value so far of a kind on a ladder."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="records")
    kind = models.CharField(max_length=10, choices=RecordKind)
    value = models.IntegerField()
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="records")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="records")
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint("ladder", "kind", name="record_once")]

    def __str__(self) -> str:
        return f"{self.kind} on {self.ladder_id}: {self.value}"


class WeekForm(models.Model):
    """The wins of a version in a week, and those expected of its rating."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="forms")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="forms")
    monday = models.DateField()
    games = models.PositiveIntegerField(default=0)
    wins = models.PositiveIntegerField(default=0)
    ahead = models.FloatField(default=0.0)  # wins, less those expected

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("monday", "ladder", "version", name="week_form_once"),
        ]
        indexes: ClassVar = [models.Index("monday", "ahead", name="week_form_best")]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.ahead:+.1f} in the week of {self.monday}"


class Reader(models.Model):
    """How far the counted blocks of a ladder were read."""

    ladder = models.OneToOneField(
        Ladder, on_delete=models.CASCADE, primary_key=True, related_name="highlights_reader"
    )
    serial = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.ladder_id} up to {self.serial}"
