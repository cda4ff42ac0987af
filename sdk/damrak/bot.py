"""The base class of all bots written in Python."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Self

from damrak.view import View
from damrak_engine.actions import Action
from damrak_engine.board import Board
from damrak_engine.clock import TimeControl
from damrak_engine.events import Event
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """Facts about a match that a bot receives before the first card is dealt."""

    board: Board
    rules: Rules
    seats: int
    seat: int
    control: TimeControl


class Bot:
    """Base class of bots: one seat at one table, with a new instance for every match.

    Only `choose` is required. The host calls `start` once, then `saw` for every event and `choose`
    for every decision, and finally `finish` once.
    """

    name: str
    """Name shown at tables and in replays; defaults to the name of the class."""

    rng: random.Random
    """Random numbers for the bot. The host seeds it before `start` for reproducible games."""

    note: str | None
    """Set this in `choose` to attach a text to the decision in the replay; cleared afterwards."""

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        # Not in __init__, so that subclasses need not call super().__init__().
        bot = super().__new__(cls)
        bot.rng = random.Random()
        bot.note = None
        return bot

    def start(self, match: MatchInfo) -> None:
        """Prepare for the match that begins now."""

    def choose(self, view: View) -> int | Action:
        """Return a decision: an id from `view.legal` or an action like `ClaimRoute(17, RED, 1)`."""
        raise NotImplementedError(f"{type(self).__name__} must define choose(self, view)")

    def saw(self, event: Event) -> None:
        """Process an event, redacted to what this seat may see."""

    def finish(self, result: Result) -> None:
        """Process the result of the finished match."""
