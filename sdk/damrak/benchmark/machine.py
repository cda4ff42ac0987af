"""How fast this machine is at plain Python, whatever it is used for."""

from __future__ import annotations

import time

from damrak.benchmark.timing import Windows, rate

ROUNDS = 20_000


def loops_a_second(windows: Windows) -> float:
    """Rounds of a bare loop in a second of CPU time."""
    return rate(_loop, windows)


def loops_on_the_wall(windows: Windows) -> float:
    """Rounds of a bare loop in a second of waiting: less, when a core has other things to do."""
    return rate(_loop, windows, time.perf_counter)


def _loop() -> int:
    total = 0
    for i in range(ROUNDS):
        total = (total * 31 + i) & 0xFFFF
    return ROUNDS
