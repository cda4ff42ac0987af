"""Play one game on this machine, with the same arbiter that the platform uses.

    bots = (parse_spec("greedy"), parse_spec("my_bot.py"))
    record = play_game(GamePlan(load_board("amsterdam"), bots, seed))

Only one bot computes at a time, and the arbiter's clock is stopped in between: a bot is charged
only for its own time, no matter how busy its opponents and this process are. Answers to questions
that are open at the same time reach the arbiter in the order in which they would have arrived if
all bots had computed at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from heapq import heappop, heappush
from importlib.metadata import PackageNotFoundError, version
from typing import Final, Protocol

from damrak.bundle import Bundle, Ending, Step
from damrak.errors import HostError
from damrak.hosting.driver import Question, SeatPlan
from damrak.hosting.faults import Answer, BotFault, Chosen, Nonsense, Silence
from damrak.hosting.hosted import HostedBot
from damrak.hosting.limits import STANDARD_LIMITS, Limits
from damrak.hosting.shared import discard_launcher, launcher
from damrak.hosting.trusted import TrustedBot
from damrak.record import GameFault, GameRecord, Rejection
from damrak.specs import BotSpec
from damrak_engine import replay
from damrak_engine.board import Board
from damrak_engine.clock import TimeControl
from damrak_engine.dice import SeedDice
from damrak_engine.effects import Ask, Effect, FaultRecord, Rejected, Tell
from damrak_engine.events import Event
from damrak_engine.match import Match
from damrak_engine.options import DEFAULTS, Options
from damrak_engine.replay import Played, Player
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import Result
from damrak_engine.seat_history import chance_of

__all__ = [
    "GameFault",
    "GamePlan",
    "GameRecord",
    "Rejection",
    "play_game",
]

OWNER: Final = "local"
STANDARD_CONTROL: Final = TimeControl()


@dataclass(frozen=True, slots=True)
class GamePlan:
    """A game to play; `bots` are ordered by seat, `first` is only for first_player = rotate."""

    board: Board
    bots: tuple[BotSpec, ...]
    seed: bytes
    options: Options = DEFAULTS
    control: TimeControl = STANDARD_CONTROL
    first: int | None = None
    limits: Limits = STANDARD_LIMITS


def play_game(plan: GamePlan) -> GameRecord:
    """Play a game. It has a result regardless of what bots do, and no bot process remains.

    Raises:
        OptionsError: the board does not support this number of bots, or `first` contradicts the
            options.
        HostError: this machine failed to play it twice in a row.
    """
    rules = rules_for(plan.board, len(plan.bots), plan.options)
    try:
        return _Game(plan, rules).play()
    except HostError:
        return _Game(plan, rules).play()  # retried with another server; the game is the same


class _Seat(Protocol):
    """A bot in its seat, in this process or another."""

    name: str
    printed: BotFault | None

    @property
    def output(self) -> str: ...
    def start(self) -> BotFault | None: ...
    def ask(self, question: Question, limit_us: int) -> tuple[Answer, int]: ...
    def finish(self, events: Sequence[Event], result: Result) -> BotFault | None: ...
    def close(self) -> None: ...


class _Game:
    """The state of one game in addition to that of the arbiter."""

    def __init__(self, plan: GamePlan, rules: Rules) -> None:
        seats = range(rules.seats)
        self._plan = plan
        self._rules = rules
        self._match = Match(rules, SeedDice(plan.seed), plan.control, plan.first)
        self._seat_plans = [
            SeatPlan(plan.bots[seat], seat, plan.control, chance_of(plan.seed, seat))
            for seat in seats
        ]
        self._bots: list[_Seat] = []
        self._causes: dict[int, BotFault] = {}  # why a seat failed, as reported by the bot's host
        self._faults: dict[int, GameFault] = {}
        self._late: list[GameFault] = []
        self._rejections: list[Rejection] = []
        self._unseen: list[list[Event]] = [[] for _ in seats]
        self._steps: list[list[Step]] = [[] for _ in seats]
        self._used_us = [0 for _ in seats]
        # Answers that have not taken effect yet: (time, seat, decision, answer).
        self._arrivals: list[tuple[int, int, int, Answer]] = []

    def play(self) -> GameRecord:
        """Play the game, from starting the bots to closing them."""
        started = _now()
        try:
            for seat_plan in self._seat_plans:
                self._bots.append(_seat(seat_plan, self._rules, self._plan.limits))
            self._play()
            self._finish()
            output = tuple(bot.output for bot in self._bots)
            self._close()
        except BaseException:
            # An exception such as Ctrl-C may have interrupted a message exchange with the server.
            discard_launcher()
            self._close()
            raise
        return self._record(started, output)

    def _close(self) -> None:
        for bot in self._bots:
            bot.close()

    def _play(self) -> None:
        match = self._match
        starts = [bot.start() for bot in self._bots]
        effects = match.begin(0)
        for seat, fault in enumerate(starts):
            if fault is not None:
                effects += self._fail(seat, fault, 0)
        now = 0
        while True:
            self._carry_out(effects, now)
            if match.is_over:
                return
            now, seat, decision, answer = heappop(self._arrivals)
            effects = self._deliver(seat, decision, answer, now)

    def _carry_out(self, effects: list[Effect], now: int) -> None:
        self._collect_faults()
        for effect in effects:
            match effect:
                case Tell(seat, events):
                    self._unseen[seat] += events
                case Ask(seat, decision, observation, legal, time_left):
                    if seat not in self._faults:
                        events = tuple(self._unseen[seat])
                        self._unseen[seat].clear()
                        question = Question(decision, observation, legal, time_left, events)
                        self._ask(seat, question, now)
                case Rejected(seat, decision, reason, time_left, _):
                    self._rejections.append(Rejection(seat, decision, reason))
                    last = self._steps[seat][-1].question
                    question = Question(
                        decision, last.observation, last.legal, time_left, (), reason
                    )
                    self._ask(seat, question, now)
                case _:
                    pass

    def _ask(self, seat: int, question: Question, now: int) -> None:
        limit = question.time_left.us
        answer, took = self._bots[seat].ask(question, limit)
        if isinstance(answer, Silence):
            took = max(took, limit)
        self._used_us[seat] += took
        self._steps[seat].append(Step(question, answer))
        heappush(self._arrivals, (now + took, seat, question.decision, answer))

    def _deliver(self, seat: int, decision: int, answer: Answer, now: int) -> list[Effect]:
        match answer:
            case Chosen(action, note):
                return self._match.decided(seat, decision, action, now, note)
            case Nonsense(what):
                return self._match.nonsense(seat, decision, what, now)
            case Silence(stack):
                self._causes[seat] = BotFault("timeout", "", stack)
                return self._match.tick(now)
            case BotFault():
                return self._fail(seat, answer, now)

    def _fail(self, seat: int, fault: BotFault, now: int) -> list[Effect]:
        self._causes[seat] = fault
        return self._match.failed(seat, fault.reason, fault.detail, "bot", now)

    def _collect_faults(self) -> None:
        """Close every bot that the arbiter has newly found at fault."""
        for record in self._match.faults:
            if record.seat not in self._faults:
                self._faults[record.seat] = self._fault(record)
                self._bots[record.seat].close()

    def _fault(self, record: FaultRecord | _Late) -> GameFault:
        seat = record.seat
        cause = self._causes.get(seat)
        bot = self._bots[seat]
        # If a bot is late and then crashes, the reason given by the arbiter counts.
        trace = cause.traceback if cause is not None and cause.reason == record.reason else ""
        output = bot.output
        bundle = Bundle(
            plan=self._seat_plans[seat],
            rules=self._rules,
            fault=BotFault(record.reason, record.detail, trace),
            output=output,
            steps=tuple(self._steps[seat]),
            ending=record.ending if isinstance(record, _Late) else None,
            limits=self._plan.limits,
        )
        return GameFault(seat, bot.name, record.reason, record.detail, trace, output, bundle)

    def _finish(self) -> None:
        result = self._match.result
        assert result is not None
        for seat, bot in enumerate(self._bots):
            if seat not in self._faults:
                events = tuple(self._unseen[seat])
                for fault in (bot.finish(events, result), bot.printed):
                    if fault is not None:
                        self._causes[seat] = fault
                        late = _Late(seat, fault.reason, fault.detail, Ending(events, result))
                        self._late.append(self._fault(late))

    def _record(self, started: str, output: tuple[str, ...]) -> GameRecord:
        plan, match = self._plan, self._match
        assert match.result is not None
        names = tuple(bot.name for bot in self._bots)
        return GameRecord(
            replay=replay.record(
                board=plan.board,
                options=plan.options,
                seats=tuple(
                    Player(name, bot.version, OWNER)
                    for name, bot in zip(names, plan.bots, strict=True)
                ),
                seed=plan.seed,
                events=match.log,
                result=match.result,
                played=Played(started, _now(), f"damrak {package_version()}", OWNER),
            ),
            result=match.result,
            names=names,
            seconds=tuple(used / 1e6 for used in self._used_us),
            decisions=tuple(len(steps) for steps in self._steps),
            faults=tuple(self._faults.values()),
            late_faults=tuple(self._late),
            rejections=tuple(self._rejections),
            output=output,
        )


@dataclass(frozen=True, slots=True)
class _Late:
    """A fault that is reported after the end of the game."""

    seat: int
    reason: str
    detail: str
    ending: Ending


def _seat(plan: SeatPlan, rules: Rules, limits: Limits) -> _Seat:
    if plan.spec.is_house:
        return TrustedBot(plan, rules)
    return HostedBot(launcher(), plan, rules, limits)


@cache
def package_version() -> str:
    """Return the version of this package, if it is installed."""
    try:
        return version("damrak")
    except PackageNotFoundError:
        return "not installed"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
