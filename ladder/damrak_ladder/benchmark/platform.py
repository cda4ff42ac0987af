"""Throughput (matches per second) and processor time of the whole platform on this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from damrak_ladder.embedded.load import PROC

PATIENCE_S: Final = 180.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_CHILDREN: Final = {
    "referee": b"damrak_referee",
    "site": b"damrak_ladder\0site",
    "worker": b"damrak_ladder\0worker",
    "clerk": b"damrak_ladder\0clerk",
    "beat": b"damrak_ladder\0beat",
    "analyst": b"damrak_ladder\0analyst",
    "relay": b"damrak_ladder\0relay",
    "broker": b"valkey-server",
}
_SEED: Final = """
from datetime import UTC, datetime
from damrak_ladder.management import load
load()
from django.core.management import call_command
call_command("migrate", verbosity=0, interactive=False)
from damrak_ladder.matches.ladders import LadderPlan, create_ladder
now = datetime.now(UTC)
common = {"boards": ("amsterdam",), "shares": {2: 1.0}, "house": ("random", "greedy")}
create_ladder(LadderPlan(slug="amsterdam", name="Bench", anchors={"greedy": 1000.0}, **common), now)
create_ladder(LadderPlan(slug="daily", name="Closed", is_open=False, **common), now)
"""
_COUNT: Final = """
from damrak_ladder.management import load
load()
from damrak_ladder.matches.models import Match, SeatResult
print(Match.objects.filter(block__state="recorded").count(),
      SeatResult.objects.exclude(fault="").count())
"""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a benchmark run; processor time is in seconds, summed over all cores."""

    seconds: float
    matches: int
    faults: int
    cpu: dict[str, float]  # by part; "bots" are the bots of matches with their sandboxes
    machine_idle: float  # share of all processors, during the run
    load_before: float

    @property
    def matches_a_second(self) -> float:
        """Return the number of matches recorded per second of wall-clock time."""
        return self.matches / self.seconds

    @property
    def bots(self) -> float:
        """Return the share of bots in the processor time of the platform."""
        return self.cpu["bots"] / max(sum(self.cpu.values()), 1e-9)

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON output."""
        return {
            "matches_per_s": round(self.matches_a_second, 2),
            "share_of_bots": round(self.bots, 3),
            "matches": self.matches,
            "faults": self.faults,
            "seconds": round(self.seconds, 1),
            "cpu_seconds": {name: round(spent, 2) for name, spent in self.cpu.items()},
            "cpu_ms_per_match": round(1000 * sum(self.cpu.values()) / max(1, self.matches), 1),
            "machine_idle": round(self.machine_idle, 3),
            "load_before": round(self.load_before, 2),
        }


def measure(seconds: float, workers: int, database: str | None, tell: Tell) -> Result:
    """Start a private platform, and measure it while trivial house bots play two-player matches.

    `database` is the URL of an empty PostgreSQL database; without it the platform uses SQLite.
    """
    with tempfile.TemporaryDirectory(prefix="damrak-bench-") as folder:
        variables = variables_of(Path(folder), database)
        run_python(_SEED, variables)
        load_before = os.getloadavg()[0]
        with running_platform(variables, workers, tell) as root:
            _await_matches(variables, tell)
            begun, before, idle = time.monotonic(), spent_by_part(root), _idle()
            matches, faults = _counts(variables)
            tell(f"playing for {seconds:.0f} s")
            time.sleep(seconds)
            after, passed, now_idle = spent_by_part(root), time.monotonic() - begun, _idle()
            more, more_faults = _counts(variables)
    share = (now_idle - idle) / passed / (os.cpu_count() or 1)
    return Result(
        seconds=passed,
        matches=more - matches,
        faults=more_faults - faults,
        cpu={name: after[name] - before[name] for name in after},
        machine_idle=share,
        load_before=load_before,
    )


def variables_of(home: Path, database: str | None) -> dict[str, str]:
    """Return the environment of a private platform in this folder."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("DAMRAK") and name not in {"DATABASE_URL", "MAKELEVEL"}
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"DAMRAK_HOME": str(home / "home"), "DAMRAK_PORT": str(port)}
    return kept | own | ({"DATABASE_URL": database} if database else {})


@contextmanager
def running_platform(variables: dict[str, str], workers: int, tell: Tell) -> Iterator[int]:
    """Run a platform, and yield the process id of its supervisor."""
    tell("starting the platform")
    command = [sys.executable, "-m", "damrak_ladder", "up", "--workers", str(workers)]
    log = Path(variables["DAMRAK_HOME"]).with_name("up.log")
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own program
            command, env=variables, stdout=output, stderr=output
        )
    try:
        until = time.monotonic() + PATIENCE_S
        while "Damrak is at" not in log.read_text("utf-8", "replace"):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the platform does not start: {log.read_text()}")
            time.sleep(0.2)
        yield process.pid
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_matches(variables: dict[str, str], tell: Tell) -> None:
    tell("waiting for the first matches")
    until = time.monotonic() + PATIENCE_S
    while _counts(variables)[0] < 10:
        if time.monotonic() > until:
            raise RuntimeError("nothing is played")
        time.sleep(1)


def _counts(variables: dict[str, str]) -> tuple[int, int]:
    matches, faults = run_python(_COUNT, variables).split()
    return int(matches), int(faults)


def run_python(program: str, variables: dict[str, str]) -> str:
    """Run a program in this environment; return its output."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program],
        env=variables,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def spent_by_part(root: int) -> dict[str, float]:
    """Return the processor time used so far by each part of the platform below this supervisor."""
    parents, own, with_ended = _processes()
    children: dict[int, list[int]] = {}
    for process, parent in parents.items():
        children.setdefault(parent, []).append(process)

    def whole(process: int) -> float:
        return with_ended[process] + sum(map(whole, children.get(process, [])))

    found = {"supervisor": own[root], "bots": 0.0}
    for child in children.get(root, []):
        line = _command(child)
        part = next((name for name, mark in _CHILDREN.items() if mark in line), "other")
        if part == "referee":
            found["referee"] = own[child]
            found["bots"] = whole(child) - own[child]  # all its child processes are bots
        else:
            found[part] = found.get(part, 0.0) + whole(child)
    return found


def _processes() -> tuple[dict[int, int], dict[int, float], dict[int, float]]:
    """Return each process's parent, own time, and time including its ended children."""
    parents: dict[int, int] = {}
    own: dict[int, float] = {}
    with_ended: dict[int, float] = {}
    for entry in os.listdir(PROC):
        if not entry.isdigit():
            continue
        try:
            fields = (PROC / entry / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue  # it has ended since
        process, times = int(entry), list(map(int, fields[11:15]))
        parents[process] = int(fields[1])
        own[process] = sum(times[:2]) / _TICKS
        with_ended[process] = sum(times) / _TICKS
    return parents, own, with_ended


def _command(process: int) -> bytes:
    try:
        return (PROC / str(process) / "cmdline").read_bytes()
    except OSError:
        return b""


def _idle() -> float:
    """Return the idle time of all processors of this machine together."""
    fields = (PROC / "stat").read_text("ascii").split("\n", 1)[0].split()
    return int(fields[4]) / _TICKS
