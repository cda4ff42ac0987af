"""Where the time of a match goes, decision by decision."""

from __future__ import annotations

from collections.abc import Callable

from damrak_referee.timekeeper import NS_PER_US, US
from damrak_wire.reports import Timings

OnDecision = Callable[[float, float, float], None]  # total, think, own


class Stopwatch:
    """Counts the time of decisions; `on_decision` hears of each at once, in seconds."""

    __slots__ = ("_on_decision", "_queue_us", "_seats", "_think_us", "_total_us")

    def __init__(self, on_decision: OnDecision | None) -> None:
        self._on_decision = on_decision
        self._seats: list[int] = []
        self._total_us: list[int] = []
        self._think_us: list[int] = []
        self._queue_us: list[int] = []

    def decided(
        self, seat: int, cause_ns: int, asked_ns: int, answered_ns: int, think_us: int
    ) -> None:
        """A decision: when that was received which it was asked for, when the question left,
        when the answer was received, and how long the bot says it thought.
        """
        total = think = own = 0
        if asked_ns >= cause_ns:  # or else it answered before it was asked
            total = (answered_ns - asked_ns) // NS_PER_US
            think = min(think_us, total)
            own = (asked_ns - cause_ns) // NS_PER_US
        self._seats.append(seat)
        self._total_us.append(total)
        self._think_us.append(think)
        self._queue_us.append(own)
        if self._on_decision is not None:
            self._on_decision(total / US, think / US, own / US)

    def timings(self) -> Timings:
        """All of it, in columns."""
        return Timings(
            tuple(self._seats),
            tuple(self._total_us),
            tuple(self._think_us),
            tuple(self._queue_us),
        )
