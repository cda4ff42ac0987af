"""The thinking time of one seat.

Two limits hold at once: a bank for the whole match, which every decision is charged to and gets
an increment back for, and a limit on each single decision. A seat whose connection is lost while
it owes a decision has a third allowance, the grace. Why these three treat an absence differently
is told in docs/adr/0003-clocks-and-faults.md.

Times are whole microseconds on whatever clock the caller reads; nothing here reads one.
"""

from __future__ import annotations

from damrak_engine.errors import MatchError
from damrak_engine.values import value

US_PER_MS = 1000


@value(frozen=True, slots=True)
class TimeControl:
    """How long bots may think and how much is forgiven, the same for every seat of a match.

    Raises:
        MatchError: naming the limit that no match could be played under.
    """

    decision_ms: int | None = 10_000  # for one decision; None: only the bank limits it
    bank_ms: int = 60_000  # for the whole match
    increment_ms: int = 1_000  # added to the bank after each decision
    grace_ms: int = 30_000  # the absences of a match taken together, while a decision is owed
    strikes: int = 3  # the illegal decision of a match that is a fault

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
    """What a seat has left: for the decision at hand (None: no limit), and in its bank."""

    decision_us: int | None
    bank_us: int

    @property
    def us(self) -> int:
        """How long the decision at hand may still take: whichever limit comes first."""
        if self.decision_us is None:
            return self.bank_us
        return min(self.decision_us, self.bank_us)


class Clock:
    """One seat's bank, decision limit and grace; it runs while the seat owes a decision."""

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
        self._missed_us = 0  # of the running decision, spent away and over
        self._away_since: int | None = None
        self.deadline: int | None = None  # when the time for the decision at hand is up

    @property
    def is_away(self) -> bool:
        """Whether the seat's connection is lost."""
        return self._away_since is not None

    def start(self, now: int) -> None:
        """The seat owes a decision from now on."""
        self._started = now
        self._missed_us = 0
        self._set_deadline()

    def stop(self, now: int) -> int:
        """The seat has decided: how long it took, charged to the bank before the increment."""
        charged = self._halt(now)
        self._bank_us += self._increment_us - charged
        return charged

    def abandon(self, now: int) -> None:
        """The seat owes nothing any more, without having decided."""
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
        """How much of the running decision has passed since the connection was lost."""
        if self._away_since is None or self._started is None:
            return 0
        return now - max(self._away_since, self._started)

    def go_away(self, now: int) -> None:
        """The connection is lost; nothing new if it already was."""
        if self._away_since is None:
            self._away_since = now
            self._set_deadline()

    def come_back(self, now: int) -> None:
        """The connection is there again; nothing new if it was not lost."""
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
        """What is left at this moment; the whole decision limit if no decision is owed."""
        used = 0 if self._started is None else now - self._started
        bank = max(0, self._bank_us - used)
        if self._limit_us is None:
            return TimeLeft(None, bank)
        if used:
            used -= self._missed_us + self._absence(now)
        return TimeLeft(max(0, self._limit_us - used), bank)
