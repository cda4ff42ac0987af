"""Models of puzzles, of the matches that were searched for them, and of the puzzles of the days."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from damrak_ladder.matches.models import Match

UNKNOWN_DIFFICULTY = 1500.0


class PuzzleSource(models.Model):
    """A match that was searched for puzzles, or is being searched; each match once."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="puzzle_source")
    begun = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=1)
    is_done = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"puzzles of match {self.match_id}"


class Puzzle(models.Model):
    """A position of a recorded match with three moves to choose from."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="puzzles")
    replay = models.CharField(max_length=64)  # the hash; a match that is played again gets another
    moment = models.PositiveIntegerField()  # the latest event before the decision
    seat = models.PositiveSmallIntegerField()
    choices: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField()
    best = models.PositiveSmallIntegerField()
    played: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    gains: models.JSONField[list[list[float]], list[list[float]]] = models.JSONField()
    created = models.DateTimeField()
    right = models.PositiveIntegerField(default=0)  # first answers only
    wrong = models.PositiveIntegerField(default=0)
    difficulty = models.FloatField(default=UNKNOWN_DIFFICULTY)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint("match", "moment", name="puzzle_once"),
        ]
        indexes: ClassVar = [
            models.Index("created", name="puzzle_created"),
            models.Index("difficulty", "id", name="puzzle_difficulty"),
        ]

    def __str__(self) -> str:
        return f"puzzle {self.pk}"

    @property
    def answers(self) -> int:
        """Return the number of first answers."""
        return self.right + self.wrong


class PuzzleDay(models.Model):
    """The puzzle of a day (UTC)."""

    day = models.DateField(unique=True)
    puzzle = models.ForeignKey(Puzzle, on_delete=models.CASCADE, related_name="days")

    def __str__(self) -> str:
        return f"puzzle of {self.day}"
