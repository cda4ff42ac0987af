"""Threads that help the calling thread with the job of a batch.

A helper waits for work in the native core without the interpreter lock, for about 50 us; when there
was none, it sleeps on a lock until the next job. A helper that wakes too late does nothing.
"""

from __future__ import annotations

import os
import threading
import weakref
from ctypes import CDLL, addressof

from damrak.env.vectorized.plan import Array
from damrak.env.vectorized.structures import Batch


class Helper:
    """A thread that runs one part of each job.

    It refers to the memory that it looks at while it waits, which may outlive the games.
    """

    def __init__(self, library: CDLL, batch: Batch, taken: Array, part: int) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self._is_asleep = False
        self._is_closed = False
        arguments = (library, batch, taken, part)
        threading.Thread(target=self._help, args=arguments, daemon=True).start()

    def wake(self) -> None:
        """Wake the thread if it sleeps."""
        if self._is_asleep:
            self._is_asleep = False
            self._lock.release()

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        self.wake()

    def _help(self, library: CDLL, batch: Batch, taken: Array, part: int) -> None:
        while not self._is_closed:
            library.damrak_help(addressof(batch), part)
            self._is_asleep = True
            if not self._is_closed:
                self._lock.acquire()


class Helpers:
    """The helpers of a batch. The caller is part 0 of every job, and they are the other parts.

    A child process created by `fork` has no threads, and begins with new ones.
    """

    def __init__(self, number: int, library: CDLL, batch: Batch, taken: Array) -> None:
        self._number = number
        self._library = library
        self._batch = batch
        self._taken = taken
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        parts = range(1, 1 + self._number)
        self._helpers = [Helper(self._library, self._batch, self._taken, part) for part in parts]
        self._end = weakref.finalize(self, _close, self._helpers)

    def run(self) -> None:
        """Do the job in all threads and in this one, and return when it is done."""
        if self._process != os.getpid():
            self._end.detach()
            self._start()
        for helper in self._helpers:
            helper.wake()
        self._library.damrak_together(addressof(self._batch))

    def close(self) -> None:
        """End the threads."""
        self._end()


def _close(helpers: list[Helper]) -> None:
    for helper in helpers:
        helper.close()
