"""A bot in a child process, from the host's side."""

from __future__ import annotations

import marshal
import pickle
import signal
from collections.abc import Sequence
from time import monotonic_ns
from typing import Final

from damrak.errors import HostError
from damrak.hosting.child import LINE_LOST, Order, frame
from damrak.hosting.driver import Question, SeatPlan
from damrak.hosting.faults import Answer, BotFault, Silence
from damrak.hosting.forms import plain_event, plain_observation, plain_result
from damrak.hosting.launch import Child, Launcher
from damrak.hosting.limits import Limits
from damrak.hosting.link import DeadlinePassed, LineClosed, Link
from damrak.hosting.messages import (
    Done,
    Message,
    Printed,
    ProtocolError,
    Ready,
    answer_to,
    parse_line,
)
from damrak.hosting.stdout_guard import REASON
from damrak_engine.events import Event
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result

NS: Final = 1_000_000_000
LAST_WORDS: Final = 1.0  # seconds for a child to exit after its connection was closed
WHERE: Final = 1.0  # seconds for a child that hangs to dump its stack


class HostedBot:
    """A bot in its own process, from start to end."""

    def __init__(self, launcher: Launcher, plan: SeatPlan, rules: Rules, limits: Limits) -> None:
        self.name = plan.spec.name
        self.printed: BotFault | None = None
        self._limits = limits
        self._folder = plan.spec.folder
        table = launcher.table(rules)
        self._child: Child = launcher.start(limits.output_bytes)
        self._link = Link(self._child.line, self._child.output)
        self._start_by = monotonic_ns() + int(limits.start_seconds * NS)
        order = pickle.dumps(Order(plan, table, limits.memory_bytes, limits.resources))
        self._fault: BotFault | None = None
        try:
            self._link.send(frame(order), self._start_by)
        except DeadlinePassed:
            self._fault = BotFault("timeout", "the bot's process did not start in time")
        except LineClosed as problem:
            self._fault = self._broken(problem)

    def start(self) -> BotFault | None:
        """Wait until the bot is ready, and set `name` to its own name."""
        if self._fault is not None:
            return self._fault
        late = f"the bot was not ready to play after {self._limits.start_seconds:g} s"
        message = self._hear(self._start_by, late)
        if isinstance(message, Ready):
            self.name = message.name or self.name
            return None
        if isinstance(message, BotFault):
            return message
        return BotFault("protocol", "the bot's process did not say that it was ready")

    def ask(self, question: Question, limit_us: int) -> tuple[Answer, int]:
        """Return the answer and the microseconds it took; silence after the limit."""
        data = frame(
            marshal.dumps(
                (
                    "ask",
                    question.decision,
                    plain_observation(question.observation),
                    question.legal,
                    [plain_event(event) for event in question.events],
                    question.time_left.decision_us,
                    question.time_left.bank_us,
                    question.objection,
                )
            )
        )
        answer: Answer
        began = monotonic_ns()
        deadline = began + limit_us * 1000
        try:
            self._link.send(data, deadline)
            line = self._link.receive(deadline)
            took = monotonic_ns() - began
            answer = answer_to(question.decision, line)
        except DeadlinePassed:
            took = monotonic_ns() - began
            answer = Silence(self._stack())
        except (LineClosed, ProtocolError) as problem:
            took = monotonic_ns() - began
            answer = self._broken(problem)
        return answer, took // 1000

    def finish(self, events: Sequence[Event], result: Result) -> BotFault | None:
        """Pass the last events and the result to the bot; a fault now has no effect on the game.

        Afterwards `printed` is its other fault without effect, if any.
        """
        plain = [plain_event(event) for event in events]
        data = frame(marshal.dumps(("finish", plain, plain_result(result))))
        deadline = monotonic_ns() + int(self._limits.finish_seconds * NS)
        late = f"finish() had not returned after {self._limits.finish_seconds:g} s"
        message = self._hear(deadline, late, data)
        if isinstance(message, Printed):
            self.printed = BotFault(REASON, message.detail, message.traceback)
            message = self._hear(deadline, late, frame(marshal.dumps(("heard",))))
        if isinstance(message, BotFault):
            return message
        return None if isinstance(message, Done) else BotFault("protocol", "no end of finish()")

    def _hear(self, deadline: int, late: str, data: bytes = b"") -> Message:
        """Send data to the child, and return its next message."""
        try:
            self._link.send(data, deadline)
            return parse_line(self._link.receive(deadline))
        except DeadlinePassed:
            return BotFault("timeout", late, self._stack())
        except (LineClosed, ProtocolError) as problem:
            return self._broken(problem)

    def close(self) -> None:
        """End the process and all processes that it has started."""
        self._child.kill()
        self._link.close()
        self._child.output.close()

    @property
    def output(self) -> str:
        """The end of the bot's output so far."""
        self._child.output.drain()
        return self._child.output.text()

    def _stack(self) -> str:
        """Return the stack of a bot that hangs, because there is no exception with a traceback."""
        from damrak_wire.stack import SourceFolder, no_source  # needed only if a bot hangs

        output = self._child.output
        output.begin_dump()
        self._child.where()
        self._link.listen(monotonic_ns() + int(WHERE * NS))
        return output.end_dump(no_source if self._folder is None else SourceFolder(self._folder))

    def _broken(self, problem: LineClosed | ProtocolError) -> BotFault:
        """Return the fault for a child that has closed its connection or violated the protocol."""
        if isinstance(problem, ProtocolError):
            return BotFault("protocol", str(problem))
        try:
            status = self._child.status(LAST_WORDS)
        except HostError as gone:
            raise HostError(f"{gone}; it was the turn of {self.name}") from None
        if status is None or status == LINE_LOST:
            return BotFault("protocol", "the bot's process closed its line to the host")
        if status < 0:
            return BotFault("crash", f"the bot's process was killed by {_signal_name(-status)}")
        return BotFault("crash", f"the bot's process ended with exit status {status}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
