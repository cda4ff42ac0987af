"""Where a seat's time went, decision by decision, in a few figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from damrak_ladder.matches.timings import Timings


@dataclass(frozen=True, slots=True)
class Spread:
    """How long one part of the decisions took, in microseconds."""

    median: int
    slow: int  # one in twenty took longer
    most: int
    total: int


@dataclass(frozen=True, slots=True)
class Pace:
    """The parts: all of it, the bot's own thinking, the way to it and back, the referee's queue."""

    decisions: int
    whole: Spread
    thinking: Spread
    transport: Spread
    queue: Spread


def pace_of(timings: Timings) -> Pace | None:
    """The figures of these decisions; None if there are none."""
    if not timings.total_us:
        return None
    transport = [
        max(0, total - think - queue)
        for total, think, queue in zip(
            timings.total_us, timings.think_us, timings.queue_us, strict=True
        )
    ]
    return Pace(
        decisions=len(timings.total_us),
        whole=_spread(timings.total_us),
        thinking=_spread(timings.think_us),
        transport=_spread(transport),
        queue=_spread(timings.queue_us),
    )


def _spread(values: Sequence[int]) -> Spread:
    ordered = sorted(values)
    last = len(ordered) - 1
    return Spread(ordered[last // 2], ordered[round(last * 0.95)], ordered[-1], sum(ordered))
