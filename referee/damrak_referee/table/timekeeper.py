"""The clock of a match: real time without the pauses, which are not charged to any seat."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from damrak_engine.clock import US_PER_MS

NS_PER_US: Final = 1000
US: Final = 1_000_000  # in a second


class Timekeeper:
    """Microseconds since an arbitrary moment, stopped during pauses."""

    __slots__ = ("_paused_at", "_skipped_us", "real_ns")

    def __init__(self, real_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self.real_ns = real_ns
        self._skipped_us = 0  # in all pauses that have ended
        self._paused_at: int | None = None

    def now(self) -> int:
        """Return the current time of the match."""
        if self._paused_at is not None:
            return self._paused_at
        return self.at(self.real_ns())

    def at(self, real_ns: int) -> int:
        """Return the match time at a real time, without regard to a pause in progress."""
        return real_ns // NS_PER_US - self._skipped_us

    def pause(self) -> None:
        """Stop the clock."""
        self._paused_at = self.now()

    def resume(self) -> None:
        """Restart the clock from where it stopped."""
        if self._paused_at is not None:
            self._skipped_us += self.at(self.real_ns()) - self._paused_at
            self._paused_at = None


class Alarm:
    """Timer that calls `ring` at about the set time or earlier, so check the clock then.

    Deadlines mostly move on before they are reached. A deadline later than the current timer does
    therefore not replace it: the alarm rings too early, and is then set again.
    """

    __slots__ = ("_loop", "_ring", "_time", "_timer", "_when")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, time: Timekeeper, ring: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._time = time
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None
        self._when = 0

    def set(self, when: int) -> None:
        """Ring at this time of the match clock."""
        if self._timer is not None:
            if self._when <= when:
                return
            self._timer.cancel()
        # A loop may round to whole milliseconds: wait at least one, so as not to wake too early.
        wait_us = max(when - self._time.now(), US_PER_MS)
        self._when = when
        self._timer = self._loop.call_later(wait_us / US, self._wake)

    def cancel(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wake(self) -> None:
        self._timer = None
        self._ring()
