"""Measurement of speed: the median of several windows of this process's own CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Windows:
    """The number and length of windows, which follow a warm-up of a third of a window."""

    number: int = 5
    seconds: float = 2.0


FULL = Windows()
QUICK = Windows(number=3, seconds=0.15)


def rate(
    work: Callable[[], int], windows: Windows, clock: Callable[[], float] = time.process_time
) -> float:
    """Return the units of work per second; each call of `work` returns the number it did.

    Uses CPU time rather than wall time, so that other work on the machine matters little.
    """
    _window(work, windows.seconds / 3, clock)
    return median(_window(work, windows.seconds, clock) for _ in range(windows.number))


def _window(work: Callable[[], int], seconds: float, clock: Callable[[], float]) -> float:
    done = 0
    start = clock()
    elapsed = 0.0
    while elapsed < seconds:
        done += work()
        elapsed = clock() - start
    return done / elapsed
