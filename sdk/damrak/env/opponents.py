"""Opponents in a training game: house bots or your own bots.

They run in this process and are trusted: they have no clock, and their exceptions propagate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, overload

from damrak.bot import Bot, MatchInfo
from damrak.bots import house_bot
from damrak.view import View
from damrak_engine.clock import US_PER_MS, TimeControl, TimeLeft
from damrak_engine.events import Event, seen_by
from damrak_engine.observation import observe
from damrak_engine.position import SETUP
from damrak_engine.scoring import Result
from damrak_engine.state import State

OpponentGiven = str | Callable[[], Bot]
"""The name of a house bot, a class derived from `Bot`, or a function that returns such a bot."""

CONTROL: Final = TimeControl(decision_ms=None)
STANDING_CLOCK: Final = TimeLeft(None, CONTROL.bank_ms * US_PER_MS)


def maker_of(given: OpponentGiven) -> Callable[[], Bot]:
    """Return a function that creates a new instance of this opponent for every game.

    Raises:
        ValueError: there is no such house bot.
    """
    if not isinstance(given, str):
        return given
    house_bot(given)
    return partial(house_bot, given)


class SeenEvents(Sequence[Event]):
    """The first events of a game as one seat may know them, redacted on access."""

    def __init__(self, log: list[Event], seat: int, length: int, redacted: list[Event]) -> None:
        self._log = log
        self._seat = seat
        self._length = length
        self._redacted = redacted  # shared by all views of the seat

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        redacted = self._redacted
        for event in self._log[len(redacted) : self._length]:
            redacted.append(seen_by(event, self._seat))
        if isinstance(index, slice):
            return [redacted[i] for i in range(*index.indices(self._length))]
        return redacted[range(self._length)[index]]


class Opponent:
    """A bot in its seat for one game."""

    def __init__(self, bot: Bot, state: State, seat: int, seed: int) -> None:
        assert state.log is not None
        self._bot = bot
        self._seat = seat
        self._log = state.log
        self._dealt = len(state.log)
        self._redacted: list[Event] = []
        self._told = 0
        self._listens = type(bot).saw is not Bot.saw
        rules = state.rules
        bot.rng.seed(seed)
        bot.start(MatchInfo(rules.board, rules, rules.seats, seat, CONTROL))

    def decide(self, state: State) -> int:
        """Return the action that the bot chooses."""
        # At set-up no seat learns what the others chose, although here they choose one by one.
        at_once = state.phase == SETUP and state.rules.unseen_choice
        events = self._events(self._dealt if at_once else len(self._log))
        seen = observe(state, self._seat)
        view = View(seen, state.legal_for(self._seat), events, STANDING_CLOCK)
        action = view.id_of(self._bot.choose(view))
        self._bot.note = None
        return action

    def finish(self, result: Result) -> None:
        """Pass the result of the game to the bot."""
        self._events(len(self._log))
        self._bot.finish(result)

    def _events(self, length: int) -> SeenEvents:
        events = SeenEvents(self._log, self._seat, length, self._redacted)
        if self._listens:
            while self._told < length:
                self._told += 1
                self._bot.saw(events[self._told - 1])
        return events
