"""One thing after the other: where the steps of a match pass, and may have to wait.

Some organisers do not want the time that a bot takes to carry a message to another. There, after
each step that others hear of, the turnstile stays shut for a random while before they do. The
match's clock stands still, so that nobody is charged, and what comes in the meantime waits.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from typing import Any

from damrak_referee.timekeeper import US, Timekeeper

Step = Callable[..., None]


class Turnstile:
    """Takes steps in the order in which they come; `broke` hears of what they raise."""

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
        self._next: tuple[Step, tuple[Any, ...]] | None = None  # to do when it opens
        self._waiting: deque[tuple[Step, tuple[Any, ...]]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def take(self, step: Step, *args: Any) -> None:
        """Take this step, now or when its turn comes."""
        if self._next is not None:
            self._waiting.append((step, args))
            return
        try:
            step(*args)
        except Exception as problem:  # noqa: BLE001  # a mistake of ours must not hang a match
            self._broke(problem)

    def after_pause(self, step: Step, *args: Any) -> None:
        """Take this step after a pause, if this match has any, and before all others."""
        if not self._longest_us:
            step(*args)
            return
        self._next = (step, args)
        self._time.pause()
        wait_us = secrets.randbelow(self._longest_us + 1)
        self._timer = self._loop.call_later(wait_us / US, self._open)

    def flush(self) -> None:
        """Take all steps that are waiting, without any further pause."""
        while self._next is not None:
            self._open()

    def forget(self) -> None:
        """Do not take the step that a pause was made for."""
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
