"""Run one measurement and print it as JSON: `python -m damrak.benchmark NAME SECONDS WINDOWS`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from damrak.benchmark import environment_peers, machine, ours
from damrak.benchmark.peers import PEERS, TUNED_PEERS
from damrak.benchmark.timing import Windows

OF_ENVIRONMENTS = ("vector_steps", "vector_bytes", "vector_bare", "vector_threads", "single")


def of_environments(name: str) -> Callable[[Windows], object]:
    """Return a measurement of our environments, whose libraries take a while to import."""

    def measure(windows: Windows) -> object:
        from damrak.benchmark import environments

        measured: object = getattr(environments, name)(windows)
        return measured

    return measure


MEASUREMENTS: dict[str, Callable[[Windows], object]] = {
    "ours": ours.measure,
    "loops_a_second": machine.loops_a_second,
    "loops_on_the_wall": machine.loops_on_the_wall,
    **PEERS,
    **{f"tuned_{name}": peer for name, peer in TUNED_PEERS.items()},
    **{f"env_{name}": peer for name, peer in environment_peers.PEERS.items()},
    **{f"env_{name}": of_environments(name) for name in OF_ENVIRONMENTS},
}

if __name__ == "__main__":
    name, seconds, number = sys.argv[1:]
    try:
        measured = MEASUREMENTS[name](Windows(int(number), float(seconds)))
    except KeyboardInterrupt:  # the parent process receives it, too, and reports it
        sys.exit(130)
    sys.stdout.write(json.dumps(measured) + "\n")
