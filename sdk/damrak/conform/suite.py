"""The suite of all scenarios in order, and their outcomes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from damrak.conform import connection_scenarios, game_scenarios, lobby_scenarios, question_scenarios
from damrak.conform.scenario import Absent, Failed, Scenario
from damrak.conform.stage import Stage

NOT_TRIED: Final = "not tried: the client is gone"
_PATIENCE_WITH_ABSENCE: Final = 2  # consecutive scenarios without a client


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one scenario; `problem` is empty if the client passed."""

    scenario: Scenario
    problem: str
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        return {
            "name": self.scenario.name,
            "ok": not self.problem,
            "problem": self.problem or None,
            "see": self.scenario.see,
            "seconds": round(self.seconds, 3),
        }


ONE_SEAT: Final = frozenset(
    [
        "two-seats",
        "three-seats",
        "four-seats",
        "first-contracts",
        "prompt-events",
        "slow-network",
        "void",
        "removal",
        "leaving",
        "decision-ids",
        "repeated-question",
        "rejection",
        "stale",
        "complaint",
        "unknown-kinds",
        "unknown-fields",
        "note",
        "think-time",
    ]
)
"""The scenarios for a client that is started for one seat, as in the sandbox."""


def scenarios(
    *, elsewhere: bool = True, program: bool = True, one_seat: bool = False
) -> tuple[Scenario, ...]:
    """Return the scenarios that can be run with this kind of client, in order."""
    every = (
        *lobby_scenarios.SCENARIOS,
        *game_scenarios.SCENARIOS,
        *connection_scenarios.SCENARIOS,
        *(connection_scenarios.WITH_PROGRAM if program else ()),
        *question_scenarios.SCENARIOS,
        *lobby_scenarios.LAST,
    )
    first = {"arrival": 0, "two-seats": 1}
    ordered = sorted(every, key=lambda scenario: first.get(scenario.name, 2))
    if one_seat:
        return tuple(scenario for scenario in ordered if scenario.name in ONE_SEAT)
    return tuple(scenario for scenario in ordered if elsewhere or scenario.name != "elsewhere")


class Suite:
    """A run of scenarios with one client."""

    def __init__(self, stage: Stage, chosen: Sequence[Scenario]) -> None:
        self.stage = stage
        self.chosen = chosen
        self._outcomes: list[Outcome] = []

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes, including problems of a scenario that others have found."""
        booked = self.stage.booked
        return [
            replace(outcome, problem=outcome.problem or booked.get(outcome.scenario.name, ""))
            for outcome in self._outcomes
        ]

    @property
    def ok(self) -> bool:
        """Whether the client has passed all scenarios."""
        return not any(outcome.problem for outcome in self.outcomes)

    async def run(
        self, begins: Callable[[Scenario], None], ends: Callable[[Outcome], None]
    ) -> None:
        """Run all scenarios, calling `begins` and `ends` for each."""
        absences = 0
        for scenario in self.chosen:
            begins(scenario)
            started = time.monotonic()
            problem = ""
            if absences >= _PATIENCE_WITH_ABSENCE:
                problem = NOT_TRIED
            else:
                try:
                    await scenario.run(self.stage)
                    absences = 0
                except Absent as absence:
                    problem = str(absence)
                    absences += 1
                except Failed as failure:
                    problem = str(failure)
                    absences = 0
                await self.stage.tidy()
            self._outcomes.append(Outcome(scenario, problem, time.monotonic() - started))
            ends(self.outcomes[-1])
