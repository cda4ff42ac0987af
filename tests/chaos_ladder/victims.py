"""The processes of a platform, each of which may be killed and restarted."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final

from chaos.victims import kill_child_of
from ladder.postgres import Postgres
from ports import free_port
from system.broker import Broker
from system.plant import LEASE_SECONDS, QUICK, Machine, Process

KINDS: Final = (
    *("worker", "child", "pause", "referee", "runner"),
    *("broker", "flush", "clerk", "deputy", "beat", "site"),
)
"""The processes that are killed.

A child plays one block of a worker, a deputy executes the tasks of its clerk, and a runner starts
bots for a referee. A paused process continues when its lease has expired.
"""

PAUSE_SECONDS: Final = 2.0 * LEASE_SECONDS


class Platform:
    """Broker, clerk, beat, site, and some machines with worker and referee; a context manager."""

    def __init__(
        self, folder: Path, variables: dict[str, str], machines: int, postgres: Postgres | None
    ) -> None:
        self.folder = folder
        self.postgres = postgres
        self.broker = Broker(folder)
        self._variables = {
            **QUICK,
            **variables,
            "DAMRAK_LADDER_BROKER": self.broker.url,
            "DAMRAK_PORT": str(free_port()),
        }
        self._machines = [
            Machine(folder, self.broker, self._variables, f"host-{number}")
            for number in range(machines)
        ]
        self._lone = {name: self._start(name) for name in ("clerk", "beat", "site")}

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of processes that can be killed."""
        return KINDS if self.postgres is None else (*KINDS, "database")

    def kill(self, kind: str, chance: random.Random) -> None:
        """Kill a process of this kind, and restart it at once."""
        machine = chance.choice(self._machines)
        match kind:
            case "worker":
                machine.worker.kill()
                machine.restart_worker()
            case "child":
                _signal(machine.worker.children[:1], signal.SIGKILL)
            case "pause":
                paused = machine.worker.children
                _signal(paused, signal.SIGSTOP)
                threading.Timer(PAUSE_SECONDS, _signal, [paused, signal.SIGCONT]).start()
            case "runner":
                kill_child_of(machine.referee.process.pid, "damrak_referee.runner")
            case "deputy":
                _signal(self._lone["clerk"].children[:1], signal.SIGKILL)
            case "referee":
                machine.kill_referee()
                machine.restart_referee()
            case "broker":
                self.broker.kill()
                self.broker.start()
            case "flush":
                self.broker.flush()
            case "database":
                assert self.postgres is not None
                self.postgres.crash()
                self.postgres.start()
            case _:
                self._lone[kind].kill()
                self._lone[kind] = self._start(kind)

    def check(self) -> None:
        """Check that no process has exited by itself, except those whose child was killed early."""
        for name, process in self._lone.items():
            if _has_given_up(process):
                self._lone[name] = self._start(name)
        for machine in self._machines:
            if _has_given_up(machine.worker):
                machine.restart_worker()

    def logs(self) -> str:
        """Return the end of each log."""
        logs = sorted(self.folder.rglob("*.log"))
        return "\n".join(f"--- {log.relative_to(self.folder)}\n{_tail(log)}" for log in logs)

    def _start(self, name: str) -> Process:
        return Process(self.folder / f"{name}.log", self._variables, name)

    def __enter__(self) -> Platform:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        closing: list[Callable[[], object]] = [one.close for one in self._machines]
        closing += [process.kill for process in self._lone.values()]
        for close in closing:
            with contextlib.suppress(ProcessLookupError):
                close()
        self.broker.kill()


def _has_given_up(process: Process) -> bool:
    """Return whether Celery stopped it because a child was killed before all had started.

    Celery leaves the restart to a supervisor: here, to the test.
    """
    code = process.process.poll()
    tail = _tail(process.log)
    is_over = code == 0 and "Could not start worker processes" in tail
    assert code is None or is_over, f"{process.log.name} ended with {code}:\n{tail}"
    return is_over


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _tail(log: Path) -> str:
    return log.read_text("utf-8", "replace")[-3000:]
