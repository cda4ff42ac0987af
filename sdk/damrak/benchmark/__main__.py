"""Run one measurement and print it as JSON: `python -m damrak.benchmark NAME SECONDS WINDOWS`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from damrak.benchmark import machine, ours
from damrak.benchmark.peers import PEERS, TUNED_PEERS
from damrak.benchmark.timing import Windows

MEASUREMENTS: dict[str, Callable[[Windows], object]] = {
    "ours": ours.measure,
    "loops_a_second": machine.loops_a_second,
    "loops_on_the_wall": machine.loops_on_the_wall,
    **PEERS,
    **{f"tuned_{name}": peer for name, peer in TUNED_PEERS.items()},
}

if __name__ == "__main__":
    name, seconds, number = sys.argv[1:]
    try:
        measured = MEASUREMENTS[name](Windows(int(number), float(seconds)))
    except KeyboardInterrupt:  # the parent process receives it, too, and reports it
        sys.exit(130)
    sys.stdout.write(json.dumps(measured) + "\n")
