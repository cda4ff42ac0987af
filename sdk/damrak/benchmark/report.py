"""The report of `damrak bench`: all measurements in turn."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

from damrak.benchmark.environment_peers import PEERS as ENVIRONMENT_PEERS
from damrak.benchmark.peers import PEERS, TUNED_PEERS
from damrak.benchmark.timing import Windows
from damrak.cores import cores
from damrak.errors import HostError
from damrak.series import SeriesPlan, play_series
from damrak.specs import parse_spec

BUILDS: Final = ("rollout", "python_loop", "copy_us", "observe_us", "decide_us")
START_S: Final = 0.7
Tell = Callable[[str], None]


def measure(windows: Windows, tell: Tell) -> dict[str, Any]:
    """Return the object for `damrak bench --json`; `tell` receives the progress.

    A build or peer that is not installed is null.
    """
    tell("the compiled engine")
    compiled = _in_process("ours", windows, interpreted=False)
    tell("the interpreted engine")
    interpreted = _in_process("ours", windows, interpreted=True)
    if not compiled["is_compiled"]:
        compiled = None
    peers = {name: _peer(name, windows, tell) for name in PEERS}
    tuned = {name: _peer(f"tuned_{name}", windows, tell) for name in TUNED_PEERS}
    tell("many processes")
    best = compiled or interpreted
    return {
        "compiled": compiled and {key: compiled[key] for key in BUILDS},
        "interpreted": {key: interpreted[key] for key in BUILDS},
        "verify_per_s": best["verify_per_s"],
        "state_bytes": best["state_bytes"],
        "peers": peers,
        "peers_tuned": tuned,
        "jobs": scaling(windows),
        "platform": _platform(windows),
    }


def measure_environments(windows: Windows, tell: Tell) -> dict[str, Any]:
    """Return the object for `damrak bench env --json`; peers that are not installed are null."""

    def of(name: str) -> Any:
        tell(name.replace("_", " "))
        return _in_process(f"env_{name}", windows)

    threads = of("vector_threads")
    vector = {
        "steps_per_s": round(of("vector_steps")),
        "bytes_steps_per_s": round(of("vector_bytes")),
        "bare_steps_per_s": round(of("vector_bare")),
        "threads": {number: round(speed) for number, speed in threads.items()},
    }
    return {
        "vector": vector,
        "single": {name: round(speed) for name, speed in of("single").items()},
        "peers": {name: _peer(f"env_{name}", windows, tell) for name in ENVIRONMENT_PEERS},
        "platform": _platform(windows),
    }


def _platform(windows: Windows) -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": cores(),
        "loops_per_s": round(_in_process("loops_a_second", windows)),
    }


def _peer(name: str, windows: Windows, tell: Tell) -> int | None:
    tell(name.replace("_", " "))
    speed = _in_process(name, windows)
    return None if speed is None else round(speed)


def scaling(windows: Windows) -> dict[str, Any]:
    """Return games per second of `damrak play` with one process, and with one per core.

    `efficiency` is the rate per process, relative to a single process. `machine` is the same for a
    bare loop, which is an upper bound: cores that share hardware slow each other down.
    """
    number = cores()
    seconds = windows.seconds * windows.number
    one, all_of_them = _series_rate(1, seconds), _series_rate(number, seconds)
    alone, together = _loop_rates(1, windows), _loop_rates(number, windows)
    return {
        "cores": number,
        "games_per_s": {"1": round(one, 1), str(number): round(all_of_them, 1)},
        "efficiency": round(all_of_them / one / number, 3),
        "machine": round(together / alone / number, 3),
    }


def _series_rate(processes: int, seconds: float) -> float:
    """Return games per second of wall time, after all processes have started."""
    bot = parse_spec("random")
    games = 0
    begun = counted_from = 0.0
    with closing(play_series(SeriesPlan(bots=(bot, bot), blocks=10**9), processes)) as blocks:
        for block in blocks:
            now = time.perf_counter()
            begun = begun or now
            if now - begun < START_S:
                counted_from = now
                continue
            games += len(block.games)
            if now - counted_from > seconds:
                return games / (now - counted_from)
    raise AssertionError("a series of so many blocks does not end")


def _loop_rates(processes: int, windows: Windows) -> float:
    """Return the total rounds per second of wall time of `processes` simultaneous bare loops."""
    started = [_start("loops_on_the_wall", windows) for _ in range(processes)]
    return sum(float(_result(process)) for process in started)


def _in_process(name: str, windows: Windows, interpreted: bool | None = None) -> Any:
    return _result(_start(name, windows, interpreted))


def _start(name: str, windows: Windows, interpreted: bool | None = None) -> subprocess.Popen[str]:
    environment = dict(os.environ)
    if interpreted is not None:
        environment["DAMRAK_INTERPRETED"] = "1" if interpreted else "0"
    command = [sys.executable, "-m", "damrak.benchmark", name]
    command += [str(windows.seconds), str(windows.number)]
    return subprocess.Popen(  # noqa: S603 - our own module
        command, stdout=subprocess.PIPE, text=True, env=environment
    )


def _result(process: subprocess.Popen[str]) -> Any:
    output, _ = process.communicate()
    if process.returncode:
        raise HostError(f"a measurement failed with exit code {process.returncode}")
    return json.loads(output.splitlines()[-1])
