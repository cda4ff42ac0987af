"""Checks that run in threads of their own, so that a part that hangs cannot hang whoever asks."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Final, Generic, TypeVar

from django.db import connection

T = TypeVar("T")

FRESH_FOR_S: Final = 2.0
"""A result is given to everyone who asks within so many seconds."""

DEADLINE_S: Final = 4.0
"""A check that takes longer counts as failed; no second one is started beside it."""


class Run(Generic[T]):
    """One run of a check in a daemon thread, which never keeps a process from ending."""

    def __init__(self, check: Callable[[], T], fallback: Callable[[Exception], T]) -> None:
        self.began = time.monotonic()
        self.ended = float("inf")
        self._check = check
        self._fallback = fallback
        self._result: T | None = None
        self._over = Event()
        Thread(target=self._run, name="health", daemon=True).start()

    def result(self, seconds: float) -> T | None:
        """The result, within so many seconds of the beginning; None if there is none by then."""
        self._over.wait(max(0.0, self.began + seconds - time.monotonic()))
        return self._result

    @property
    def is_over(self) -> bool:
        """Whether the check has returned."""
        return self._over.is_set()

    def _run(self) -> None:
        try:
            self._result = self._check()
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is the result
            self._result = self._fallback(problem)
        finally:
            connection.close()
            self.ended = time.monotonic()
            self._over.set()


class Check(Generic[T]):
    """A check that is run again when its result is old; however many ask, it runs once at a time.

    `fallback` makes a result of an exception.
    """

    def __init__(self, check: Callable[[], T], fallback: Callable[[Exception], T]) -> None:
        self._check = check
        self._fallback = fallback
        self._run: Run[T] | None = None
        self._lock = Lock()

    def start(self) -> Run[T]:
        """The run whose result is current, started if necessary."""
        with self._lock:
            run = self._run
            if run is None or (run.is_over and time.monotonic() - run.ended > FRESH_FOR_S):
                run = self._run = Run(self._check, self._fallback)
            return run
