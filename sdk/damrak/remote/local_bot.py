"""A bot in this process: in its sandbox, or a house bot."""

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
    """A bot that is called directly; its exceptions become faults."""

    def __init__(self, plan: SeatPlan, rules: Rules) -> None:
        self.name = plan.spec.name
        self._plan = plan
        self._rules = rules
        self._driver: Driver | None = None
        self._ballast = bytearray(BALLAST)

    def start(self) -> BotFault | None:
        """Create the bot, and set `name` to its own name."""
        try:
            self._driver = Driver(self._plan, self._rules)
            self.name = self._driver.name or self.name
        except BaseException as problem:  # noqa: BLE001 - a bot may raise anything
            return self._fault(problem)
        return None

    def ask(self, question: Question, limit_us: int) -> tuple[Answer, int]:
        """Return the answer and the microseconds it took; a direct call cannot be interrupted."""
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
        """Pass the last events and the result to the bot; a fault now has no effect on the game."""
        assert self._driver is not None
        try:
            self._driver.finish(events, result)
        except BaseException as problem:  # noqa: BLE001
            return self._fault(problem)
        return None

    def close(self) -> None:
        """Release the bot."""
        self._driver = None

    def _fault(self, problem: BaseException) -> BotFault:
        # A bot that is out of memory still holds it, and even reporting that takes some.
        self._ballast.clear()
        release_reserve()
        return fault_of(problem)


class LoneBot(PresentBot):
    """A bot with a process of its own, whose folder and random seed are set as in a child process.

    So a sandboxed game equals a local one with the same seed.
    """

    def start(self) -> BotFault | None:
        """Set folder and random seed, and create the bot."""
        folder = self._plan.spec.folder
        if folder is not None:
            os.chdir(folder)
        random.seed(self._plan.chance)  # makes bots that ignore their own rng reproducible, too
        return super().start()
