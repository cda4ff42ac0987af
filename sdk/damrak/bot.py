"""The class that every bot written in Python derives from."""

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
    """What a bot is told before the first card is dealt."""

    board: Board
    rules: Rules
    seats: int
    seat: int
    control: TimeControl


class Bot:
    """One seat at one table; a new instance for every match.

    Only `choose` has to be written. The host calls, in this order: `start` once, `saw` for every
    event and `choose` for every decision as the match goes on, and `finish` once.
    """

    name: str
    """What tables and replays call the bot; the name of the class, if the class says nothing."""

    rng: random.Random
    """Chance for the bot. The host seeds it before `start`, so that a game can be repeated."""

    note: str | None
    """Set it in `choose` to attach a text to that decision in the replay; cleared afterwards."""

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        # Not in __init__: a bot that writes its own need not remember to call ours.
        bot = super().__new__(cls)
        bot.rng = random.Random()
        bot.note = None
        return bot

    def start(self, match: MatchInfo) -> None:
        """Prepare for the match that begins now."""

    def choose(self, view: View) -> int | Action:
        """Decide: an id out of `view.legal`, or a typed action such as `ClaimRoute(17, RED, 1)`."""
        raise NotImplementedError(f"{type(self).__name__} must define choose(self, view)")

    def saw(self, event: Event) -> None:
        """Take note of something that happened, told as this seat may see it."""

    def finish(self, result: Result) -> None:
        """Look at the result of the finished match."""
