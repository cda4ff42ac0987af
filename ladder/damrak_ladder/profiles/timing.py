"""Where the time of decisions went: decision by decision, and in summary figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from damrak_ladder.matches.timings import Timings


@dataclass(frozen=True, slots=True)
class Decision:
    """Where the time of one decision went, in microseconds."""

    number: int  # among the decisions of this seat, from 1
    thinking: int
    transport: int
    queue: int

    @property
    def total(self) -> int:
        """Return the time from the question to the answer."""
        return self.thinking + self.transport + self.queue


@dataclass(frozen=True, slots=True)
class Spread:
    """How long one part of the decisions took, in microseconds."""

    median: int
    slow: int  # one in twenty took longer
    most: int
    total: int


@dataclass(frozen=True, slots=True)
class Pace:
    """Time figures: in total, the bot's thinking, the transport both ways, the referee's queue."""

    decisions: int
    whole: Spread
    thinking: Spread
    transport: Spread
    queue: Spread


def pace_of(timings: Timings) -> Pace | None:
    """Return the figures of these decisions; None if there are none."""
    if not timings.total_us:
        return None
    return Pace(
        decisions=len(timings.total_us),
        whole=_spread(timings.total_us),
        thinking=_spread(timings.think_us),
        transport=_spread([one.transport for one in decisions_of(timings)]),
        queue=_spread(timings.queue_us),
    )


def decisions_of(timings: Timings) -> list[Decision]:
    """Return the decisions in the order in which they were made."""
    parts = zip(timings.total_us, timings.think_us, timings.queue_us, strict=True)
    return [
        Decision(number, think, max(0, total - think - queue), queue)
        for number, (total, think, queue) in enumerate(parts, start=1)
    ]


def _spread(values: Sequence[int]) -> Spread:
    ordered = sorted(values)
    last = len(ordered) - 1
    return Spread(ordered[last // 2], ordered[round(last * 0.95)], ordered[-1], sum(ordered))
