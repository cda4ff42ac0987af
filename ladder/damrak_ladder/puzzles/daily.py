"""The puzzle of the day: chosen once for each day, before it begins if possible."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from damrak_ladder.puzzles.gate import public_puzzles
from damrak_ladder.puzzles.models import Puzzle, PuzzleDay


def choose_days(now: datetime) -> None:
    """Choose the puzzles of today and tomorrow, if there are puzzles that no day had."""
    days = [now.date(), now.date() + timedelta(days=1)]
    chosen = set(PuzzleDay.objects.filter(day__in=days).values_list("day", flat=True))
    for day in days:
        if day in chosen:
            continue
        free = public_puzzles().filter(days=None)
        newest = free.filter(right=0, wrong=0).order_by("-pk").first()
        puzzle = newest or free.order_by("pk").first()
        if puzzle is not None:
            PuzzleDay.objects.get_or_create(day=day, defaults={"puzzle": puzzle})


def puzzle_of(day: date) -> Puzzle | None:
    """Return the puzzle of this day, or else that of the latest day before it."""
    days = PuzzleDay.objects.filter(day__lte=day, puzzle__in=public_puzzles())
    found = days.order_by("-day").first()
    return None if found is None else public_puzzles().get(pk=found.puzzle_id)
