"""What a visitor's browser remembers of puzzles: the latest answers, and the streak of days.

It is in a signed cookie, so that it needs no account and the site stores nothing about visitors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from django.http import HttpRequest, HttpResponse

COOKIE: Final = "damrak-puzzles"
REMEMBERED: Final = 150
"""The number of latest answers that are remembered."""

_SALT: Final = "puzzles"
_YEAR: Final = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Memory:
    """The answers by puzzle, and the days on which the puzzle of the day was solved in a row."""

    answers: tuple[tuple[int, int], ...] = ()  # puzzle and choice, oldest first
    solved: date | None = None  # the latest day
    streak: int = 0
    best: int = 0

    def answer_to(self, puzzle: int) -> int | None:
        """Return the first answer to this puzzle; None if there is none, or it is forgotten."""
        return dict(self.answers).get(puzzle)

    def answered(self, puzzle: int, choice: int) -> Memory:
        """Return the memory after an answer."""
        return replace(self, answers=(*self.answers, (puzzle, choice))[-REMEMBERED:])

    def solved_on(self, day: date) -> Memory:
        """Return the memory after solving the puzzle of this day."""
        if self.solved is not None and self.solved >= day:
            return self
        streak = self.streak + 1 if self.solved == day - timedelta(days=1) else 1
        return replace(self, solved=day, streak=streak, best=max(streak, self.best))

    def streak_on(self, today: date) -> int:
        """Return the streak, which ends when a day has passed without a solution."""
        is_alive = self.solved is not None and self.solved >= today - timedelta(days=1)
        return self.streak if is_alive else 0


def recall(request: HttpRequest) -> Memory:
    """Return what the browser remembers; nothing if the cookie is missing or not ours."""
    text = request.get_signed_cookie(COOKIE, default="", salt=_SALT, max_age=_YEAR)
    try:
        solved, streak, best, listed = (text or "").split("/")
        answers = [pair.split(":") for pair in listed.split(",") if pair]
        return Memory(
            tuple((int(puzzle), int(choice)) for puzzle, choice in answers),
            date.fromisoformat(solved) if solved else None,
            int(streak),
            int(best),
        )
    except ValueError:
        return Memory()


def remember(request: HttpRequest, response: HttpResponse, memory: Memory) -> None:
    """Store this in the visitor's browser."""
    listed = ",".join(f"{puzzle}:{choice}" for puzzle, choice in memory.answers)
    solved = memory.solved.isoformat() if memory.solved else ""
    response.set_signed_cookie(
        COOKIE,
        f"{solved}/{memory.streak}/{memory.best}/{listed}",
        salt=_SALT,
        max_age=_YEAR,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
