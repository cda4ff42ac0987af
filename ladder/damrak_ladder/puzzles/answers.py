"""Answers to puzzles, and the difficulty that they teach.

The model is that of Rasch with solvers of equal strength: a puzzle of difficulty d is solved with
probability 1 / (1 + 10 ** ((d - 1500) / 400)). With this model the share of right answers decides
alone, so the fit has a closed form. Two right and two wrong phantom answers keep the difficulty of
puzzles with few answers near 1500.
"""

from __future__ import annotations

import math
from typing import Final

from django.db import transaction

from damrak_ladder.puzzles.models import UNKNOWN_DIFFICULTY, Puzzle

PHANTOMS: Final = 2  # of each kind
SPREAD: Final = 400.0


def difficulty_of(right: int, wrong: int) -> float:
    """Return the difficulty of a puzzle with these answers."""
    odds = (wrong + PHANTOMS) / (right + PHANTOMS)
    return UNKNOWN_DIFFICULTY + SPREAD * math.log10(odds)


def count_answer(puzzle_id: int, *, is_right: bool) -> None:
    """Count a visitor's first answer to a puzzle."""
    with transaction.atomic():
        puzzle = Puzzle.objects.select_for_update().filter(pk=puzzle_id).first()
        if puzzle is None:
            return
        puzzle.right += is_right
        puzzle.wrong += not is_right
        puzzle.difficulty = difficulty_of(puzzle.right, puzzle.wrong)
        puzzle.save(update_fields=["right", "wrong", "difficulty"])
