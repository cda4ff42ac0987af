"""Measurement of the time of a match, decision by decision."""

from __future__ import annotations

from collections.abc import Callable

from damrak_referee.table.timekeeper import NS_PER_US, US
from damrak_wire.reports import Timings

OnDecision = Callable[[float, float, float], None]  # total, think, own
# When the message that led to a question was received, when it was asked, and answered.
Times = tuple[int, int, int]


class Stopwatch:
    """Records the time of decisions; `on_decision` is called at once for each, in seconds."""

    __slots__ = ("_decisions", "_on_decision")

    def __init__(self, on_decision: OnDecision | None) -> None:
        self._on_decision = on_decision
        self._decisions: list[tuple[int, Times, int]] = []

    def decided(self, seat: int, times: Times, think_us: int) -> None:
        """Record a decision, and the thinking time that the bot reports."""
        self._decisions.append((seat, times, think_us))
        if self._on_decision is not None:
            total, think, own = _durations(times, think_us)
            self._on_decision(total / US, think / US, own / US)

    def timings(self) -> Timings:
        """Return all timings, in columns."""
        rows = [(seat, *_durations(times, said)) for seat, times, said in self._decisions]
        return Timings(*zip(*rows, strict=True)) if rows else Timings()


def _durations(times: Times, think_us: int) -> tuple[int, int, int]:
    cause_ns, asked_ns, answered_ns = times
    if asked_ns < cause_ns:  # it was answered before it was asked
        return 0, 0, 0
    total = (answered_ns - asked_ns) // NS_PER_US
    return total, min(think_us, total), (asked_ns - cause_ns) // NS_PER_US
