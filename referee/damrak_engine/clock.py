"""Clock of one seat: time bank, limit per decision, and grace.

Two limits apply at once: a bank for the whole match, which pays for every decision and then gains
an increment, and a limit on each decision. A seat that loses its connection while it owes a
decision has a third allowance, the grace. docs/adr/0003-clocks-and-faults.md explains why these
three treat an absence differently.

Times are whole microseconds on the caller's clock; this module does not read a clock.
"""

from __future__ import annotations

from damrak_engine.errors import MatchError
from damrak_engine.values import value

US_PER_MS = 1000


@value(frozen=True, slots=True)
class TimeControl:
    """Time limits and tolerances, the same for every seat of a match.

    Raises:
        MatchError: naming the limit under which no match could be played.
    """

    decision_ms: int | None = 10_000  # per decision; None: limited by the bank only
    bank_ms: int = 60_000  # for the whole match
    increment_ms: int = 1_000  # added to the bank after each decision
    grace_ms: int = 30_000  # total absence in a match while a decision is owed
    strikes: int = 3  # the number of illegal decisions in a match that causes a fault

    def __post_init__(self) -> None:
        if self.decision_ms is not None and self.decision_ms < 1:
            raise MatchError(f"decision_ms: {self.decision_ms} leaves no time to decide")
        if self.bank_ms < 1:
            raise MatchError(f"bank_ms: {self.bank_ms} leaves no time to think")
        if self.increment_ms < 0:
            raise MatchError(f"increment_ms: {self.increment_ms} is negative")
        if self.grace_ms < 0:
            raise MatchError(f"grace_ms: {self.grace_ms} is negative")
        if self.strikes < 1:
            raise MatchError(f"strikes: {self.strikes} is not even one")


@value(frozen=True, slots=True)
class TimeLeft:
    """A seat's remaining time: for the current decision (None: no limit) and in its bank."""

    decision_us: int | None
    bank_us: int

    @property
    def us(self) -> int:
        """The time left for the current decision: the smaller of the two limits."""
        if self.decision_us is None:
            return self.bank_us
        return min(self.decision_us, self.bank_us)


class Clock:
    """Bank, decision limit and grace of one seat; it runs while the seat owes a decision."""

    __slots__ = (
        "_away_since",
        "_bank_us",
        "_grace_us",
        "_increment_us",
        "_limit_us",
        "_missed_us",
        "_started",
        "deadline",
    )

    def __init__(self, control: TimeControl) -> None:
        limit = control.decision_ms
        self._limit_us = None if limit is None else limit * US_PER_MS
        self._increment_us = control.increment_ms * US_PER_MS
        self._bank_us = control.bank_ms * US_PER_MS
        self._grace_us = control.grace_ms * US_PER_MS
        self._started: int | None = None
        self._missed_us = 0  # completed absences during the current decision
        self._away_since: int | None = None
        self.deadline: int | None = None  # when the time for the current decision runs out

    @property
    def is_away(self) -> bool:
        """Whether the seat's connection is lost."""
        return self._away_since is not None

    def start(self, now: int) -> None:
        """Start the time of a decision that the seat owes from now on."""
        self._started = now
        self._missed_us = 0
        self._set_deadline()

    def stop(self, now: int) -> int:
        """Charge a decision to the bank, add the increment, and return the time charged."""
        charged = self._halt(now)
        self._bank_us += self._increment_us - charged
        return charged

    def abandon(self, now: int) -> None:
        """Stop the time of a decision that the seat no longer owes, without an increment."""
        self._bank_us = max(0, self._bank_us - self._halt(now))

    def _halt(self, now: int) -> int:
        if self._started is None:
            return 0
        if self._away_since is not None:
            self._grace_us -= self._absence(now)
        used = now - self._started
        self._started = None
        self.deadline = None
        return used

    def _absence(self, now: int) -> int:
        """Return the time of the current decision since the connection was lost."""
        if self._away_since is None or self._started is None:
            return 0
        return now - max(self._away_since, self._started)

    def go_away(self, now: int) -> None:
        """Record that the connection was lost; no effect if it already was."""
        if self._away_since is None:
            self._away_since = now
            self._set_deadline()

    def come_back(self, now: int) -> None:
        """Record that the connection is back; no effect if it was not lost."""
        absence = self._absence(now)
        self._grace_us -= absence
        self._missed_us += absence
        self._away_since = None
        self._set_deadline()

    def _set_deadline(self) -> None:
        if self._started is None:
            return
        deadline = self._started + self._bank_us
        if self._away_since is not None:
            grace_end = max(self._away_since, self._started) + self._grace_us
            deadline = min(deadline, grace_end)
        elif self._limit_us is not None:
            deadline = min(deadline, self._started + self._missed_us + self._limit_us)
        self.deadline = deadline

    def time_left(self, now: int) -> TimeLeft:
        """Return the remaining time; the whole decision limit if no decision is owed."""
        used = 0 if self._started is None else now - self._started
        bank = max(0, self._bank_us - used)
        if self._limit_us is None:
            return TimeLeft(None, bank)
        if used:
            used -= self._missed_us + self._absence(now)
        return TimeLeft(max(0, self._limit_us - used), bank)
