"""Speed of plain Python on this machine, for comparison."""

from __future__ import annotations

import time

from damrak.benchmark.timing import Windows, rate

ROUNDS = 20_000


def loops_a_second(windows: Windows) -> float:
    """Return the rounds of a bare loop per second of CPU time."""
    return rate(_loop, windows)


def loops_on_the_wall(windows: Windows) -> float:
    """Return the rounds of a bare loop per second of wall time: fewer if the core is shared."""
    return rate(_loop, windows, time.perf_counter)


def _loop() -> int:
    total = 0
    for i in range(ROUNDS):
        total = (total * 31 + i) & 0xFFFF
    return ROUNDS
