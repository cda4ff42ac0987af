"""A bot in this very process: in its sandbox, or a house bot."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Sequence
from time import monotonic_ns
from typing import Final

from damrak.hosting.driver import Driver, Question, SeatPlan
from damrak.hosting.faults import Answer, BotFault, fault_of
from damrak.hosting.limits import MIB, release_reserve
from damrak_engine.events import Event
from damrak_engine.rules import Rules
from damrak_engine.scoring import Result

BALLAST: Final = 4 * MIB


class PresentBot:
    """A bot that is called; whatever it raises becomes a fault."""

    def __init__(self, plan: SeatPlan, rules: Rules) -> None:
        self.name = plan.spec.name
        self._plan = plan
        self._rules = rules
        self._driver: Driver | None = None
        self._ballast = bytearray(BALLAST)

    def start(self) -> BotFault | None:
        """Make the bot; `name` is what it then calls itself."""
        try:
            self._driver = Driver(self._plan, self._rules)
            self.name = self._driver.name or self.name
        except BaseException as problem:  # noqa: BLE001 - a bot may raise anything at all
            return self._fault(problem)
        return None

    def ask(self, question: Question, limit_us: int) -> tuple[Answer, int]:
        """The answer and the microseconds it took; nobody can hurry a bot that is called."""
        assert self._driver is not None
        if question.objection is not None:
            line = f"decision {question.decision}: rejected: {question.objection}\n"
            sys.stderr.write(line)
        answer: Answer
        began = monotonic_ns()
        try:
            answer = self._driver.choose(question)
        except BaseException as problem:  # noqa: BLE001
            answer = self._fault(problem)
        return answer, (monotonic_ns() - began) // 1000

    def finish(self, events: Sequence[Event], result: Result) -> BotFault | None:
        """Tell the bot the rest; what goes wrong in it now changes nothing any more."""
        assert self._driver is not None
        try:
            self._driver.finish(events, result)
        except BaseException as problem:  # noqa: BLE001
            return self._fault(problem)
        return None

    def close(self) -> None:
        """Nothing is left of it."""
        self._driver = None

    def _fault(self, problem: BaseException) -> BotFault:
        # A bot out of memory still holds it all, and even to say so takes a little.
        self._ballast.clear()
        release_reserve()
        return fault_of(problem)


class LoneBot(PresentBot):
    """A bot that has the process to itself: its folder, and all its chances, are those of a child.

    So a game in sandboxes is the same game as a local one with the same seed.
    """

    def start(self) -> BotFault | None:
        """Settle in, and make the bot."""
        folder = self._plan.spec.folder
        if folder is not None:
            os.chdir(folder)
        random.seed(self._plan.chance)  # a bot that ignores its own rng shall be repeatable too
        return super().start()
