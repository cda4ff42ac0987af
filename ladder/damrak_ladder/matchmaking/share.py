"""Whose turn on the machine it is: weighted fair queueing.

Ladders, owners, tests and tournaments are flows that share the machine in proportion to their
weights. A flow that has nothing to do loses its turn and saves nothing up for later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shares:
    """How far each flow has come: its work so far, divided by its weight."""

    clock: float = 0.0  # how far whoever was served last had come when it was
    reached: Mapping[str, float] = field(default_factory=dict)

    def at(self, flow: str) -> float:
        """Where this flow stands; never behind the clock."""
        return max(self.clock, self.reached.get(flow, 0.0))

    def next(self, waiting: Mapping[str, float]) -> str | None:
        """Whose turn it is, given who waits and their weights; among equals, the first by name.

        Raises:
            ValueError: a weight is not above 0.
        """
        for flow, weight in waiting.items():
            if not weight > 0:
                raise ValueError(f"{flow}: its weight is {weight:g}, and has to be above 0")
        return min(waiting, key=lambda flow: (self.at(flow), flow), default=None)

    def served(self, flow: str, cost: float, weight: float) -> Shares:
        """After this flow has got work that costs so much, in any unit: seconds, games."""
        start = self.at(flow)
        reached = {name: at for name, at in self.reached.items() if at > start}
        return Shares(clock=start, reached=reached | {flow: start + cost / weight})
