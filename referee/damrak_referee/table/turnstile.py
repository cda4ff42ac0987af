"""The turnstile, which runs the steps of a match one after the other, with optional pauses.

With jitter, bots cannot infer from delays how long others took to decide: after each step that
other seats learn of, there is a random pause before they do. The match clock stops during the
pause, so that no seat is charged, and new steps wait.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from typing import Any

from damrak_referee.table.timekeeper import US, Timekeeper

Step = Callable[..., None]


class Turnstile:
    """Runs steps in the order of their arrival; `broke` is called with their exceptions."""

    __slots__ = ("_broke", "_longest_us", "_loop", "_next", "_time", "_timer", "_waiting")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        time: Timekeeper,
        longest_us: int,
        broke: Callable[[Exception], None],
    ) -> None:
        self._loop = loop
        self._time = time
        self._longest_us = longest_us
        self._broke = broke
        self._next: tuple[Step, tuple[Any, ...]] | None = None  # to run after the pause
        self._waiting: deque[tuple[Step, tuple[Any, ...]]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def take(self, step: Step, *args: Any) -> None:
        """Run this step now, or when its turn comes."""
        if self._next is not None:
            self._waiting.append((step, args))
            return
        try:
            step(*args)
        except Exception as problem:  # noqa: BLE001  # an internal error must not hang a match
            self._broke(problem)

    def after_pause(self, step: Step, *args: Any) -> None:
        """Run this step after a pause, if the match has any, and before all others."""
        if not self._longest_us:
            step(*args)
            return
        self._next = (step, args)
        self._time.pause()
        wait_us = secrets.randbelow(self._longest_us + 1)
        self._timer = self._loop.call_later(wait_us / US, self._open)

    def flush(self) -> None:
        """Run all waiting steps, without any further pause."""
        while self._next is not None:
            self._open()

    def forget(self) -> None:
        """Drop the step that waits for the end of the pause."""
        self._next = None
        self._time.resume()
        if self._timer is not None:
            self._timer.cancel()

    def _open(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        due, self._next = self._next, None
        self._time.resume()
        if due is not None:
            self.take(due[0], *due[1])
        while self._waiting and self._next is None:
            step, args = self._waiting.popleft()
            self.take(step, *args)
