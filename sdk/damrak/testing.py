"""Tools for testing bots: sample positions, scripted opponents and whole matches.

    from damrak.testing import assert_bot_survives

    def test_it_survives() -> None:
        assert_bot_survives(MyBot)

Everything runs in the test's own process, so that a debugger can stop in the bot. Problems of a bot
are raised as AssertionError, with the place in the message.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, TypeVar

from damrak.bot import Bot, MatchInfo
from damrak.bots.random_ import RandomBot
from damrak.preflight.situations import AMSTERDAM, BARE_BOARD, situations
from damrak.view import View
from damrak_engine.actions import Action
from damrak_engine.board import Board
from damrak_engine.clock import TimeControl
from damrak_engine.dice import SeedDice
from damrak_engine.effects import Ask, Effect, Tell
from damrak_engine.events import Event
from damrak_engine.match import STANDARD, Match
from damrak_engine.options import DEFAULTS, Options, parse_options
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import Result

__all__ = ["ScriptedBot", "ask", "assert_bot_survives", "play_match", "sample_views"]

T = TypeVar("T")

ODD_OPTIONS: Final = parse_options(
    {"pass": "voluntary", "second_card": "optional", "all_wild": "no", "hand_size_public": "no"}
)


class ScriptedBot(Bot):
    """Plays a script of actions, as ids or typed, and then leaves decisions to another bot.

    Raises AssertionError if a scripted action is not legal at its turn.
    """

    name = "scripted"

    def __init__(self, script: Iterable[int | Action] = (), then: Bot | None = None) -> None:
        self.script = tuple(script)
        self.then = RandomBot() if then is None else then
        self.played = 0

    def start(self, match: MatchInfo) -> None:
        self.then.rng = self.rng
        self.then.start(match)

    def saw(self, event: Event) -> None:
        self.then.saw(event)

    def choose(self, view: View) -> int | Action:
        if self.played == len(self.script):
            return self.then.choose(view)
        action = view.id_of(self.script[self.played])
        where = f"step {self.played} of the script"
        assert action in view.legal, f"{where}: cannot {view.describe(action)}; {_choices(view)}"
        self.played += 1
        return action


def sample_views() -> dict[str, View]:
    """Return decisions of many kinds by name: a turn, the second card, a row with a gap and so on.

    Each has its full time and the events that led to it.
    """
    views = {}
    for situation in situations():
        question = situation.question(STANDARD)
        views[situation.name] = View(
            question.observation, question.legal, question.events, question.time_left
        )
    return views


def ask(bot: Bot, view: View) -> int:
    """Return the choice of a bot in this position, without having played the match so far.

    Raises:
        AssertionError: the choice is illegal or late, or the bot raised an exception.
    """
    seat = _Seat(bot, view.rules, view.seat, STANDARD, seed=0)
    seat.see(view.events)
    return seat.choose(view)


def play_match(
    bots: Sequence[Bot],
    *,
    seed: int = 0,
    board: Board = AMSTERDAM,
    options: Options = DEFAULTS,
    control: TimeControl = STANDARD,
) -> Result:
    """Play a match of these bots, the first in seat 0; equal seeds give equal deals.

    Raises:
        AssertionError: a bot's choice was illegal or late, or it raised an exception.
    """
    rules = rules_for(board, len(bots), options)
    match = Match(rules, SeedDice(seed.to_bytes(32, "big")), control)
    seats = [_Seat(bot, rules, i, control, seed) for i, bot in enumerate(bots)]
    now = 0
    effects: list[Effect] = match.begin(now)
    while match.result is None:
        answers: list[tuple[int, Ask, int]] = []
        for effect in effects:
            if isinstance(effect, Tell):
                seats[effect.seat].see(effect.events)
            elif isinstance(effect, Ask):
                seat = seats[effect.seat]
                seen = effect.observation
                view = View(seen, effect.legal, tuple(seat.events), effect.time_left)
                action = seat.choose(view)
                answers.append((now + seat.took_us, effect, action))
        effects = []
        # Questions at set-up are simultaneous: order the answers by the time taken.
        for now, question, action in sorted(answers, key=lambda answer: answer[0]):
            effects += match.decided(question.seat, question.decision, action, now)
    for effect in effects:
        if isinstance(effect, Tell):
            seats[effect.seat].see(effect.events)
    for seat in seats:
        seat.finish(match.result)
    return match.result


def assert_bot_survives(bot_class: Callable[[], Bot], games: int = 2) -> None:
    """Check a bot in every sample position, and in whole matches against random opponents.

    Plays `games` matches each at tables of two, three and four, on a board where nothing can be
    built, and with unusual options. A new bot is created for every position and every match.

    Raises:
        AssertionError: what the bot did wrong, where, and which actions were legal.
    """
    for name, view in sample_views().items():
        try:
            ask(bot_class(), view)
        except AssertionError as problem:
            raise AssertionError(f"in the position {name!r}: {problem}") from problem
    tables = [(AMSTERDAM, seats, DEFAULTS) for seats in (2, 3, 4)]
    tables += [(BARE_BOARD, 2, DEFAULTS), (AMSTERDAM, 2, ODD_OPTIONS)]
    for board, seats, options in tables:
        for seed in range(games):
            bots: list[Bot] = [RandomBot() for _ in range(seats)]
            bots[seed % seats] = bot_class()
            try:
                play_match(bots, seed=seed, board=board, options=options)
            except AssertionError as problem:
                table = f"{seats} seats on {board.id}, seed {seed}"
                raise AssertionError(f"{table}: {problem}") from problem


class _Seat:
    """A bot at a table: the events it has seen, and checks of its behaviour."""

    def __init__(self, bot: Bot, rules: Rules, seat: int, control: TimeControl, seed: int) -> None:
        self.bot = bot
        self.events: list[Event] = []
        self.took_us = 0
        self._who = f"{bot.name} in seat {seat}"
        self._where = self._who
        self._decisions = 0
        bot.rng = random.Random(4 * seed + seat)
        info = MatchInfo(rules.board, rules, rules.seats, seat, control)
        self._call("start", lambda: bot.start(info))

    def see(self, events: Iterable[Event]) -> None:
        for event in events:
            self.events.append(event)
            self._call("saw", partial(self.bot.saw, event))

    def choose(self, view: View) -> int:
        self._decisions += 1
        self._where = where = f"{self._who}, decision {self._decisions}, turn {view.turns}"
        began = time.monotonic_ns()
        chosen = self._call("choose", lambda: self.bot.choose(view))
        self.took_us = (time.monotonic_ns() - began) // 1000
        self.bot.note = None
        limit = view.time_left.us
        took, allowed = self.took_us / 1e6, limit / 1e6
        assert self.took_us <= limit, f"{where}: took {took:.2f} s of {allowed:.2f} s allowed"
        try:
            action = view.id_of(chosen)
        except ValueError as problem:
            raise AssertionError(f"{where}: {problem}; {_choices(view)}") from None
        words = view.describe(action)
        assert action in view.legal, f"{where}: cannot {words} (action {action}); {_choices(view)}"
        return action

    def finish(self, result: Result) -> None:
        self._call("finish", lambda: self.bot.finish(result))

    def _call(self, hook: str, call: Callable[[], T]) -> T:
        try:
            return call()
        except Exception as problem:
            what = f"{type(problem).__name__}: {problem}"
            raise AssertionError(f"{self._where}: {hook}() raised {what}") from problem


def _choices(view: View) -> str:
    words = [f"{action} ({view.describe(action)})" for action in view.legal]
    more = f", and {len(words) - 8} more" if len(words) > 8 else ""
    return f"legal were: {', '.join(words[:8])}{more}"
