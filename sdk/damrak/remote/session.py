"""Sessions: one bot in one match, at the end of a line to a referee.

    record = Session(line, spec, make).play()

The bot may be in this process (`present`) or in a child (`damrak.hosting`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from damrak.errors import RefereeError
from damrak.hosting.driver import Question, SeatPlan
from damrak.hosting.faults import Answer, BotFault, Chosen, Nonsense, Silence
from damrak.remote.connection import AnyLine
from damrak.specs import BotSpec
from damrak_engine.clock import TimeLeft
from damrak_engine.effects import Voided
from damrak_engine.events import Event, Fault
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result
from damrak_wire.table import (
    Asked,
    Complained,
    Ended,
    News,
    Refused,
    StaleAnswer,
    Welcomed,
    decided,
    failed,
    nonsense,
    ready,
)

SPARE_US: Final = 1_000_000  # how much longer than the referee we wait for an answer
HUNG: Final = BotFault("crash", "the bot hung, and did not answer in time")


class Player(Protocol):
    """A bot at the table, in this process or another."""

    name: str

    def start(self) -> BotFault | None: ...
    def ask(self, question: Question, limit_us: int) -> tuple[Answer, int]: ...
    def finish(self, events: Sequence[Event], result: Result) -> BotFault | None: ...
    def close(self) -> None: ...


Make = Callable[[SeatPlan, Rules], Player]
Recorder = Callable[[Question, Answer], None]


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """The outcome of a seat. At least one of `result`, `voided`, `fault` and `lost` is set.

    `fault` is why the bot left the table; `is_own` is whether the bot's host reported it, rather
    than the referee. `late_fault` occurred after the end and did not affect the result. `lost` is
    why the connection to the referee was lost.
    """

    match: str = ""
    name: str = ""
    plan: SeatPlan | None = None
    rules: Rules | None = None
    result: Result | None = None
    voided: Voided | None = None
    fault: BotFault | None = None
    is_own: bool = False
    late_fault: BotFault | None = None
    lost: RefereeError | None = None
    last_events: tuple[Event, ...] = ()


class Session:
    """The exchange of messages between a referee and a bot."""

    def __init__(
        self, line: AnyLine, spec: BotSpec, make: Make, record: Recorder | None = None
    ) -> None:
        self._line = line
        self._spec = spec
        self._make = make
        self._note = record
        self._record = SeatRecord()
        self._player: Player | None = None
        self._rules: Rules | None = None
        self._grace_us = 0
        self._known = 0  # number of events received
        self._unseen: list[Event] = []  # events that the bot has not received
        self._open: Question | None = None  # the last question
        self._answer: bytes | None = None  # the answer to it
        self._own_fault: BotFault | None = None  # fault of the bot as reported by its host
        self._is_hung = False
        self._stack = ""  # the stack of a bot that hung

    def play(self) -> SeatRecord:
        """Play from the Welcome to the end, then close the bot and the line."""
        try:
            while True:
                message = self._line.hear()
                match message:
                    case Asked():
                        self._asked(message)
                    case Refused():
                        self._refused(message)
                    case News(first, events):
                        self._take(first, events)
                    case Welcomed():
                        self._welcomed(message)
                    case Ended():
                        return self._ended(message)
                    case StaleAnswer() | Complained():
                        pass  # a duplicate answer, or an objection from a later version
        except RefereeError as problem:
            return replace(self._so_far(), lost=problem)
        finally:
            try:
                if self._player is not None:
                    self._player.close()
            finally:
                self._line.close()

    # ---- messages of the referee -----------------------------------------------------------------

    def _welcomed(self, welcome: Welcomed) -> None:
        self._take(welcome.first, welcome.history)
        if self._player is None:
            self._sit_down(welcome)
        if self._own_fault is not None:
            self._say_failed(self._own_fault)
        elif self._player is not None and self._open is None:
            self._line.say(ready(self._player.name))

    def _sit_down(self, welcome: Welcomed) -> None:
        chance = int.from_bytes(welcome.chance)
        plan = SeatPlan(self._spec, welcome.seat, welcome.control, chance)
        self._rules = welcome.rules
        self._grace_us = welcome.control.grace_ms * 1000 if welcome.rejoin_ticket else 0
        self._record = SeatRecord(welcome.match, self._spec.name, plan, welcome.rules)
        self._player = self._make(plan, welcome.rules)
        fault = self._player.start()
        self._record = replace(self._record, name=self._player.name)
        if fault is not None and not self._line.is_over:
            # The referee has its own clock: a start too slow for us would count as a crash there.
            self._own_fault = fault

    def _asked(self, asked: Asked) -> None:
        self._take(asked.first, asked.events)
        if self._open is not None and asked.decision == self._open.decision:
            if self._answer is not None:
                self._line.say(self._answer)
            return
        if self._own_fault is not None:
            return
        if self._is_hung:
            self._own_fault = replace(HUNG, traceback=self._stack)
            self._say_failed(self._own_fault)
            return
        events = tuple(self._unseen)
        self._unseen.clear()
        self._put(Question(asked.decision, asked.observation, asked.legal, asked.time_left, events))

    def _refused(self, refused: Refused) -> None:
        last = self._open
        if last is None or refused.decision != last.decision or self._own_fault is not None:
            return
        self._put(
            Question(
                last.decision, last.observation, last.legal, refused.time_left, (), refused.reason
            )
        )

    def _ended(self, ended: Ended) -> SeatRecord:
        self._take(ended.first, ended.events)
        events = tuple(self._unseen)
        record = replace(self._so_far(), last_events=events)
        match ended.outcome:
            case Result() as result:
                if ruled := fault_in(result, record):
                    record = replace(record, fault=self._own_fault or self._with_stack(ruled))
                elif self._player is not None and self._own_fault is None and not self._is_hung:
                    record = replace(record, late_fault=self._player.finish(events, result))
                return replace(record, result=result)
            case Voided() as voided:
                return replace(record, voided=voided)
            case fault:
                # If the host reported the fault itself, that one has the traceback.
                ruled = BotFault(fault.reason, fault.detail)
                return replace(record, fault=self._own_fault or self._with_stack(ruled))

    def _with_stack(self, fault: BotFault) -> BotFault:
        return replace(fault, traceback=self._stack) if fault.reason == "timeout" else fault

    def _so_far(self) -> SeatRecord:
        own = self._own_fault
        return replace(self._record, fault=own, is_own=own is not None)

    # ---- answers of the bot ----------------------------------------------------------------------

    def _put(self, question: Question) -> None:
        """Put a question to the bot and send its answer."""
        assert self._player is not None
        self._open, self._answer = question, None
        answer, took = self._player.ask(question, self._limit_us(question.time_left))
        if isinstance(answer, Silence):
            self._stack = answer.stack
        if self._line.is_over:
            return  # the bot was cut off while it computed
        if self._note is not None:
            self._note(question, answer)
        match answer:
            case Chosen(action, note):
                self._answer = decided(question.decision, action, note, took)
                self._line.say(self._answer)
            case Nonsense(what):
                self._answer = nonsense(question.decision, what)
                self._line.say(self._answer)
            case BotFault():
                self._own_fault = answer
                self._say_failed(answer)
            case Silence():
                self._is_hung = True  # the referee's clock decides

    def _say_failed(self, fault: BotFault) -> None:
        reason = "crash" if fault.reason == "timeout" else fault.reason
        self._line.say(failed(reason, fault.detail, fault.traceback))

    def _limit_us(self, left: TimeLeft) -> int:
        """Return how long to wait for an answer; the referee certainly does not wait longer."""
        limit = left.bank_us
        if left.decision_us is not None:
            limit = min(limit, left.decision_us + self._grace_us)
        return limit + SPARE_US

    def _take(self, first: int, events: Sequence[Event]) -> None:
        """Record events, ignoring duplicates."""
        if not events:
            return
        if first > self._known:
            gap = f"events {self._known} to {first - 1} were never told"
            raise RefereeError(f"the referee has left something out: {gap}", is_lasting=True)
        fresh = events[self._known - first :]
        self._unseen += fresh
        self._known += len(fresh)


def fault_in(result: Result, record: SeatRecord) -> BotFault | None:
    """Return why this seat left the table in a finished match, or None if it did not."""
    if record.plan is None or (reason := result.seats[record.plan.seat].fault) is None:
        return None
    seat = record.plan.seat
    told = [it for it in record.last_events if isinstance(it, Fault) and it.seat == seat]
    return BotFault(reason, told[0].detail if told else "")
