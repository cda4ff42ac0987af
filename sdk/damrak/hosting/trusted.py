"""A house bot in the host's own process, with the interface of a bot in a child.

House bots are part of this package and trusted to return; an exception is still a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic_ns

from damrak.hosting.driver import Driver, Question, SeatPlan
from damrak.hosting.faults import Answer, BotFault, Silence, fault_of
from damrak_engine.events import Event
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result


class TrustedBot:
    """A house bot, for which only the clock has to be supervised."""

    output = ""

    def __init__(self, plan: SeatPlan, rules: Rules) -> None:
        self.printed: BotFault | None = None  # house bots print nothing
        self.name = plan.spec.name
        self._plan = plan
        self._rules = rules
        self._driver: Driver | None = None

    def start(self) -> BotFault | None:
        """Create the bot, and set `name` to its own name."""
        try:
            self._driver = Driver(self._plan, self._rules)
            self.name = self._driver.name or self.name
        except Exception as problem:  # noqa: BLE001 - a bot may raise anything
            return fault_of(problem)
        return None

    def ask(self, question: Question, limit_us: int) -> tuple[Answer, int]:
        """Return the answer and the microseconds it took; silence if over the limit."""
        assert self._driver is not None
        answer: Answer
        began = monotonic_ns()
        try:
            answer = self._driver.choose(question)
        except Exception as problem:  # noqa: BLE001
            answer = fault_of(problem)
        took = (monotonic_ns() - began) // 1000
        return (Silence() if took > limit_us else answer), took

    def finish(self, events: Sequence[Event], result: Result) -> BotFault | None:
        """Pass the last events and the result to the bot; a fault now has no effect on the game."""
        assert self._driver is not None
        try:
            self._driver.finish(events, result)
        except Exception as problem:  # noqa: BLE001
            return fault_of(problem)
        return None

    def close(self) -> None:
        """Do nothing, because the bot needs no clean-up."""
