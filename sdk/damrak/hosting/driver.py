"""The driver of a bot: the calls it receives during a match, the same in every process."""

from __future__ import annotations

import operator
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from damrak.bot import Bot, MatchInfo
from damrak.hosting.faults import DETAIL_LIMIT, Chosen, Nonsense
from damrak.hosting.messages import NAME_LIMIT
from damrak.specs import BotSpec, make_bot
from damrak.view import View
from damrak_engine.actions import Action
from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.effects import printable
from damrak_engine.events import NOTE_LIMIT, Event
from damrak_engine.observation import Observation
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """A bot and its seat; `chance` is the seed of the bot's random numbers."""

    spec: BotSpec
    seat: int
    control: TimeControl
    chance: int


@dataclass(frozen=True, slots=True)
class Question:
    """A decision to make, and the events that the seat has seen since the last question.

    `objection` is the reason if the bot's previous answer to the same question was rejected.
    """

    decision: int
    observation: Observation
    legal: list[int]
    time_left: TimeLeft
    events: tuple[Event, ...]
    objection: str | None = None


class Driver:
    """One bot in one match. Exceptions of the bot propagate from all methods."""

    def __init__(self, plan: SeatPlan, rules: Rules) -> None:
        self.bot: Bot = make_bot(plan.spec)
        self.bot.rng = random.Random(plan.chance)
        self._events: list[Event] = []
        # Most bots do not override `saw`: this avoids a call for every event.
        self._watches = type(self.bot).saw is not Bot.saw
        self.bot.start(MatchInfo(rules.board, rules, rules.seats, plan.seat, plan.control))

    @property
    def name(self) -> str:
        """The name of the bot, on one line."""
        said: Any = self.bot.name
        return printable(" ".join(str(said).split()), NAME_LIMIT)

    def choose(self, question: Question) -> Chosen | Nonsense:
        """Return the bot's decision."""
        self.see(question.events)
        bot = self.bot
        view = View(question.observation, question.legal, tuple(self._events), question.time_left)
        value: int | Action = bot.choose(view)
        note: Any = bot.note
        bot.note = None
        try:
            if not isinstance(value, int) and hasattr(value, "__index__"):
                value = operator.index(value)  # an integer type of another library
            action = view.id_of(value)
        except (TypeError, ValueError) as problem:
            return Nonsense(printable(f"choose() gave back nonsense: {problem}", DETAIL_LIMIT))
        return Chosen(action, None if note is None else printable(str(note), NOTE_LIMIT))

    def see(self, events: Sequence[Event]) -> None:
        """Pass events to the bot."""
        self._events += events
        if self._watches:
            for event in events:
                self.bot.saw(event)

    def finish(self, events: Sequence[Event], result: Result) -> None:
        """Pass the last events and the result to the bot."""
        self.see(events)
        self.bot.finish(result)
