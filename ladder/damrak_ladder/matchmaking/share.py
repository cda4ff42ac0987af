"""Fair sharing of capacity between flows: weighted fair queueing.

Ladders, owners, tests and tournaments are flows that share the machine in proportion to their
weights. An idle flow gives up its share and does not accumulate credit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Shares:
    """The virtual time of each flow: its work so far, divided by its weight."""

    clock: float = 0.0  # the start, in virtual time, of the flow served last
    reached: Mapping[str, float] = field(default_factory=dict)

    def at(self, flow: str) -> float:
        """Return the virtual time of this flow; never behind the clock."""
        return max(self.clock, self.reached.get(flow, 0.0))

    def next(self, waiting: Mapping[str, float]) -> str | None:
        """Return the flow whose turn it is, given the waiting flows and their weights.

        Among equals, the first by name.

        Raises:
            ValueError: a weight is not above 0.
        """
        for flow, weight in waiting.items():
            if not weight > 0:
                raise ValueError(f"{flow}: its weight is {weight:g}, and has to be above 0")
        return min(waiting, key=lambda flow: (self.at(flow), flow), default=None)

    def served(self, flow: str, cost: float, weight: float) -> Shares:
        """Return the shares after this flow was given work of this cost, in any unit."""
        start = self.at(flow)
        reached = {name: at for name, at in self.reached.items() if at > start}
        return Shares(clock=start, reached=reached | {flow: start + cost / weight})
