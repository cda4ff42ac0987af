"""Health checks in separate threads, so that a part that hangs does not block the caller."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Final, Generic, TypeVar

from django.db import connection

T = TypeVar("T")

FRESH_FOR_S: Final = 2.0
"""Seconds during which a result is reused."""

DEADLINE_S: Final = 4.0
"""Seconds after which a check counts as failed; a second one is not started beside it."""


class Run(Generic[T]):
    """One run of a check in a daemon thread, which does not keep the process from exiting."""

    def __init__(self, check: Callable[[], T], fallback: Callable[[Exception], T]) -> None:
        self.began = time.monotonic()
        self.ended = float("inf")
        self._check = check
        self._fallback = fallback
        self._result: T | None = None
        self._over = Event()
        Thread(target=self._run, name="health", daemon=True).start()

    def result(self, seconds: float) -> T | None:
        """Return the result within this time from the start; None if there is none by then."""
        self._over.wait(max(0.0, self.began + seconds - time.monotonic()))
        return self._result

    @property
    def is_over(self) -> bool:
        """Whether the check has returned."""
        return self._over.is_set()

    def _run(self) -> None:
        try:
            self._result = self._check()
        except Exception as problem:  # noqa: BLE001 - any error becomes the result
            self._result = self._fallback(problem)
        finally:
            connection.close()
            self.ended = time.monotonic()
            self._over.set()


class Check(Generic[T]):
    """A check that is repeated when its result is old. Concurrent callers share one run.

    `fallback` converts an exception to a result.
    """

    def __init__(self, check: Callable[[], T], fallback: Callable[[Exception], T]) -> None:
        self._check = check
        self._fallback = fallback
        self._run: Run[T] | None = None
        self._lock = Lock()

    def start(self) -> Run[T]:
        """Return the current run; start one if necessary."""
        with self._lock:
            run = self._run
            if run is None or (run.is_over and time.monotonic() - run.ended > FRESH_FOR_S):
                run = self._run = Run(self._check, self._fallback)
            return run
