"""A platform for tests: referees and workers in real processes, with a real broker."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from celery import Celery
from django.db import connection

from damrak_ladder.matches.attempts import due, patience, reap
from damrak_ladder.matches.models import Block, BlockState, Host
from damrak_ladder.pipeline.celery.queues import queue_of
from processes import children_of
from referee_process import PATIENCE, RefereeProcess
from system.broker import Broker

ROOT = Path(__file__).resolve().parents[2]
LEASE_SECONDS = 1
QUICK = {
    "DAMRAK_LADDER_LEASE_SECONDS": str(LEASE_SECONDS),
    "DAMRAK_LADDER_BLOCK_ATTEMPTS": "1000",
}
STEP = 0.05


def now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


def wait_until(what: Callable[[], object], why: Callable[[], str] = lambda: "") -> None:
    """Wait until a condition is true."""
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline, why()
        time.sleep(STEP)


class Process:
    """A running `damrak-ladder` command."""

    def __init__(self, log: Path, variables: dict[str, str], *arguments: str) -> None:
        self.log = log
        clean = {k: v for k, v in os.environ.items() if not k.startswith("DAMRAK_LADDER_")}
        # Set by the SDK, which is loaded here; workers do fork.
        clean.pop("GRPC_ENABLE_FORK_SUPPORT", None)
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "damrak_ladder", *arguments],
                cwd=ROOT,
                env={**clean, **variables},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )

    @property
    def children(self) -> list[int]:
        """Its child processes."""
        return sorted(children_of(self.process.pid))

    def kill(self) -> None:
        """Kill it as the kernel does when memory runs out; its children are killed, too."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Terminate it and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


class Machine:
    """A host: a referee and a worker that controls it."""

    def __init__(self, folder: Path, broker: Broker, variables: dict[str, str], name: str) -> None:
        self.name = name
        self.folder = folder / name
        self.folder.mkdir()
        self.variables = {
            **QUICK,
            **variables,
            "DAMRAK_LADDER_BROKER": broker.url,
            "DAMRAK_LADDER_HOST": name,
        }
        self.restart_referee()
        self.variables["DAMRAK_LADDER_REFEREE"] = self.referee.control_address
        self.restart_worker()

    def restart_referee(self) -> None:
        """Start a referee at the address of the previous one."""
        self.referee = RefereeProcess(self.folder, name="r")

    def restart_worker(self) -> None:
        """Start a worker."""
        self.worker = Process(self.folder / "worker.log", self.variables, "worker", "--blocks=2")

    def kill_referee(self) -> None:
        """Kill the referee and all its matches."""
        self.referee.process.kill()
        self.referee.process.wait()
        self.referee.__exit__(None, None, None)

    def close(self) -> None:
        """Stop everything."""
        with contextlib.suppress(ProcessLookupError):
            self.worker.kill()
        if self.referee.process.poll() is None:
            self.referee.__exit__(None, None, None)


class Plant:
    """Machines, and the dispatch of blocks to them; a context manager."""

    def __init__(self, folder: Path, broker: Broker, variables: dict[str, str]) -> None:
        self.folder = folder
        self.broker = broker
        self.variables = variables
        self.machines: list[Machine] = []
        self._stack = ExitStack()
        self._sender = Celery(broker=broker.url)

    def add_machine(self, name: str) -> Machine:
        """Add a machine that is ready to play."""
        began = now()
        machine = Machine(self.folder, self.broker, self.variables, name)
        self.machines.append(machine)
        self._stack.callback(machine.close)
        wait_until(
            lambda: Host.objects.filter(name=name, last_seen__gte=began).exists(),
            lambda: machine.worker.log.read_text(),
        )
        return machine

    @property
    def machine(self) -> Machine:
        """The first machine."""
        return self.machines[0]

    def send(self, block_id: int, latest: int, machine: Machine | None = None) -> None:
        """Let a machine start the attempt after `latest`."""
        queue = queue_of((machine or self.machine).name)
        with contextlib.suppress(OSError, self._sender.connection().recoverable_connection_errors):
            self._sender.send_task("play", args=(block_id, latest), queue=queue, retry=False)

    def drive(self, blocks: Iterable[Block], *, is_reaped: bool = True) -> list[Block]:
        """Play all blocks to their end, as the platform would.

        Leases are short here. If no process is killed, `is_reaped` is False, so that a worker
        without CPU time for that long is not considered dead.
        """
        keys = [block.pk for block in blocks]
        told: dict[int, float] = {}

        def is_over() -> bool:
            if is_reaped:
                reap(now(), patience())
            for number, (block_id, latest) in enumerate(due(now(), 100)):
                if time.monotonic() - told.get(block_id, 0) > 0.5:  # messages may get lost
                    told[block_id] = time.monotonic()
                    self.send(block_id, latest, self.machines[number % len(self.machines)])
            ended = [BlockState.RECORDED, BlockState.DEAD]
            return Block.objects.filter(pk__in=keys, state__in=ended).count() == len(keys)

        wait_until(is_over, lambda: f"{self.logs()}\n{self._states(keys)}")
        return list(Block.objects.filter(pk__in=keys).order_by("pk"))

    def logs(self) -> str:
        """Return the output of the workers."""
        return "\n".join(machine.worker.log.read_text()[-4000:] for machine in self.machines)

    def _states(self, keys: list[int]) -> list[dict[str, object]]:
        return list(Block.objects.filter(pk__in=keys).values("pk", "state", "attempt", "trouble"))

    def __enter__(self) -> Plant:
        with ExitStack() as stack:
            stack.push(self.__exit__)
            self.add_machine("one")
            stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self._sender.close()
        connection.close()
        self._stack.close()
