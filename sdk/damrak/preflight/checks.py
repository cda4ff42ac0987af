"""The checks of a bot before a match, and their findings."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from damrak.bundle import Bundle, Step
from damrak.hosting.driver import SeatPlan
from damrak.hosting.faults import Answer, BotFault, Chosen, Nonsense, Silence
from damrak.hosting.hosted import HostedBot
from damrak.hosting.limits import STANDARD_LIMITS, Limits
from damrak.hosting.shared import discard_launcher, launcher
from damrak.hosting.stdout_guard import REASON as PRINTED
from damrak.hosting.trusted import TrustedBot
from damrak.local import STANDARD_CONTROL, GamePlan, play_game
from damrak.preflight.situations import AMSTERDAM, BARE_BOARD, Situation, situations
from damrak.record import GameRecord
from damrak.specs import BotSpec, parse_spec
from damrak_engine.board import Board
from damrak_engine.boards import board_names, load_board
from damrak_engine.clock import TimeControl
from damrak_engine.events import Decision
from damrak_engine.options import DEFAULTS, Options, parse_options

if sys.platform != "win32":
    import resource

Level = Literal["ok", "warn", "fail"]

CURES: Final = {
    "start": "the file must be importable and contain one subclass of damrak.Bot",
    "timeout": "use less time per decision; view.time_left is the remaining time",
    "crash": "reproduce it in the debugger: damrak repro BUNDLE --debug",
    "memory": "use less memory; Python and the engine are included",
    "illegal": "choose an action from view.legal or view.actions",
    PRINTED: "set self.note, which is saved in the replay, or write to sys.stderr",
    "protocol": "do not exit the process or close its files (sys.exit, os.close)",
}
OTHER_OPTIONS: Final = parse_options(
    {
        "pass": "voluntary",
        "second_card": "optional",
        "equal_turns": "on",
        "initial_choice": "in_turn_order",
    }
)
SHARE_OF_TIME: Final = 0.5  # share of a limit above which a bot is too close to it
SHARE_OF_MEMORY: Final = 0.5


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check; `cure` gives advice unless it is ok."""

    level: Level
    check: str
    detail: str = ""
    cure: str = ""
    bundle: Bundle | None = None


@dataclass(slots=True)
class Measures:
    """Resource usage of the bot, collected while the checks run."""

    decision_ms: list[int] = field(default_factory=list)
    peak_bytes: int | None = None

    def quantile(self, share: float) -> int:
        """Return the time that this share of all decisions did not exceed."""
        times = sorted(self.decision_ms) or [0]
        return times[min(len(times) - 1, int(share * len(times)))]


class Preflight:
    """All checks of one bot."""

    def __init__(
        self,
        bot: BotSpec,
        control: TimeControl = STANDARD_CONTROL,
        limits: Limits = STANDARD_LIMITS,
    ) -> None:
        self.bot = bot
        self.control = control
        self.limits = limits
        self.measures = Measures()
        self._records: list[GameRecord] = []

    def findings(self) -> Iterator[Finding]:
        """Yield findings as the checks run; if the bot does not start, only that one.

        Raises:
            HostError: this machine cannot run bots.
        """
        if not (yield from self._beginnings()):
            return
        for name, board, seats, options in _tables():
            yield self._game(name, board, seats, options)
        yield self._repetition()
        yield self._rejections()
        yield self._printing()
        yield self._finish()
        yield self._time()
        discard_launcher()  # the usage of its processes is known only after they have ended
        yield self._memory()

    def basics(self) -> Iterator[Finding]:
        """Yield the findings of quick checks: the start, rare positions, and one game.

        Raises:
            HostError: this machine cannot run bots.
        """
        if not (yield from self._beginnings()):
            return
        yield self._game("a game on amsterdam", AMSTERDAM, 2, DEFAULTS)
        yield self._rejections()
        discard_launcher()

    # ---- one question -----------------------------------------------------------------------

    def _plan(self, seat: int) -> SeatPlan:
        return SeatPlan(self.bot, seat, self.control, chance=1)

    def _seated(self, situation: Situation) -> HostedBot | TrustedBot:
        plan = self._plan(situation.seat)
        if self.bot.is_house:
            return TrustedBot(plan, situation.rules)
        return HostedBot(launcher(), plan, situation.rules, self.limits)

    def _beginnings(self) -> Generator[Finding, None, bool]:
        """Check the start and the answers in rare positions; returns whether the bot starts."""
        every = situations()
        start = self._start(every[0])
        yield start
        if start.level == "fail":
            return False
        for situation in every:
            yield self._answer(situation)
        return True

    def _start(self, situation: Situation) -> Finding:
        bot = self._seated(situation)
        try:
            fault = bot.start()
            output = bot.output
        finally:
            bot.close()
        if fault is None:
            return Finding("ok", "starts", f"{bot.name}, version {self.bot.version}")
        bundle = Bundle(
            self._plan(situation.seat), situation.rules, fault, output, limits=self.limits
        )
        return replace(_failure("starts", fault, bundle), cure=CURES["start"])

    def _answer(self, situation: Situation) -> Finding:
        question = situation.question(self.control)
        bot = self._seated(situation)
        answer: Answer
        try:
            fault = bot.start()
            answer = fault or bot.ask(question, question.time_left.us)[0]
            output = bot.output
        finally:
            bot.close()
        problem = _problem(answer, situation)
        if problem is None:
            return Finding("ok", situation.name)
        steps = (Step(question, answer),)
        bundle = Bundle(
            self._plan(situation.seat), situation.rules, problem, output, steps, limits=self.limits
        )
        return _failure(situation.name, problem, bundle)

    # ---- whole games ------------------------------------------------------------------------

    def _play(self, name: str, board: Board, seats: int, options: Options) -> GameRecord:
        house = parse_spec("random")
        seed = hashlib.sha256(f"damrak-check/1/{name}".encode()).digest()
        bots = (self.bot, *(house for _ in range(seats - 1)))
        record = play_game(GamePlan(board, bots, seed, options, self.control, limits=self.limits))
        self._records.append(record)
        self.measures.decision_ms += [
            event.ms or 0
            for event in record.replay.events
            if isinstance(event, Decision) and event.seat == 0
        ]
        return record

    def _game(self, name: str, board: Board, seats: int, options: Options) -> Finding:
        record = self._play(name, board, seats, options)
        for fault in record.faults:
            if fault.seat == 0:
                told = BotFault(fault.reason, fault.detail, fault.traceback)
                return _failure(name, told, fault.bundle)
        return Finding("ok", name, f"{record.decisions[0]} decisions")

    def _repetition(self) -> Finding:
        first, second = (self._play("twice", AMSTERDAM, 2, DEFAULTS) for _ in range(2))
        check = "does the same thing twice"
        if first.replay.events == second.replay.events:
            return Finding("ok", check)
        place = sum(a == b for a, b in zip(first.replay.events, second.replay.events, strict=False))
        return Finding(
            "warn",
            check,
            f"a repeated game differed from event {place} on",
            "for reproducible games, take all random numbers from self.rng, and limit "
            "searches by work instead of time",
        )

    def _rejections(self) -> Finding:
        reasons = [it.reason for record in self._records for it in record.rejections if not it.seat]
        if not reasons:
            return Finding("ok", "answers are legal")
        return Finding(
            "fail",
            "answers are legal",
            f"{len(reasons)} were illegal; the first one: {reasons[0]}",
            CURES["illegal"],
        )

    def _printing(self) -> Finding:
        return self._harmless("prints nothing", {PRINTED})

    def _finish(self) -> Finding:
        return self._harmless("ends well", {"crash", "memory", "timeout", "protocol"})

    def _harmless(self, check: str, reasons: Collection[str]) -> Finding:
        """Return a finding for the first fault with such a reason that did not affect its game."""
        for record in self._records:
            for fault in record.late_faults:
                if fault.seat == 0 and fault.reason in reasons:
                    told = BotFault(fault.reason, fault.detail, fault.traceback)
                    return replace(_failure(check, told, fault.bundle), level="warn")
        return Finding("ok", check)

    # ---- resource usage ---------------------------------------------------------------------

    def _time(self) -> Finding:
        times = self.measures
        middle, most, longest = (_ms(times.quantile(share)) for share in (0.5, 0.99, 1.0))
        detail = f"median {middle}, 99 % within {most}, longest {longest}"
        limit = self.control.decision_ms or self.control.bank_ms
        bank = max(record.seconds[0] for record in self._records)
        close = times.quantile(1) > SHARE_OF_TIME * limit
        if close or bank > SHARE_OF_TIME * self.control.bank_ms / 1000:
            detail += f", {bank:.1f} s in one game"
            cure = "another machine may be half as fast; view.time_left is the remaining time"
            return Finding("warn", "time for a decision", detail, cure)
        return Finding("ok", "time for a decision", detail)

    def _memory(self) -> Finding:
        peak, limit = _peak_of_children(), self.limits.memory_bytes
        if self.bot.is_house or peak is None or limit is None:
            return Finding("ok", "memory", "not measured: it does not run in a process of its own")
        self.measures.peak_bytes = peak
        used = f"{peak / 2**20:.0f} MiB at most, including Python and the engine"
        detail = f"{used}; {limit >> 20} are allowed"
        if peak > SHARE_OF_MEMORY * limit:
            return Finding("warn", "memory", detail, CURES["memory"])
        return Finding("ok", "memory", detail)


def _tables() -> Iterator[tuple[str, Board, int, Options]]:
    """Yield the games to play: every number of seats, all boards, and other options."""
    for seats in (2, 3, 4):
        yield f"a game on amsterdam, {seats} seats", AMSTERDAM, seats, DEFAULTS
    for name in board_names():
        if name != AMSTERDAM.id:
            board = load_board(name)
            yield f"a game on {name}, {board.players[1]} seats", board, board.players[1], DEFAULTS
    yield "a game in which no route can be built", BARE_BOARD, 2, DEFAULTS
    yield "a game with other options", AMSTERDAM, 2, OTHER_OPTIONS


def _problem(answer: Answer, situation: Situation) -> BotFault | None:
    match answer:
        case BotFault():
            return answer
        case Silence():
            return BotFault("timeout", "no answer within the time limit")
        case Nonsense(what):
            return BotFault("illegal", what)
        case Chosen(action, _) if action in situation.legal:
            return None
        case Chosen(action, _):
            words = situation.rules.space.describe(action)
            return BotFault("illegal", f"it wants to {words}, which is not legal")


def _failure(check: str, fault: BotFault, bundle: Bundle) -> Finding:
    detail = f"{fault.reason}: {fault.detail}"
    return Finding("fail", check, detail, CURES.get(fault.reason, ""), bundle)


def _ms(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds else "under 1 ms"


def _peak_of_children() -> int | None:
    """Return the peak memory of any single descendant process."""
    if sys.platform == "win32":
        return None
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
