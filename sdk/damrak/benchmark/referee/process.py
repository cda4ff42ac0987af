"""Servers for measurements, in child processes that end with their context."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from damrak.errors import HostError

PATIENCE: Final = 30.0


@dataclass(frozen=True, slots=True)
class Server:
    """The addresses and the resource usage of a server."""

    listen: str
    control: str
    pid: int

    @property
    def memory_bytes(self) -> int:
        """The peak memory so far."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        return 0

    @property
    def cpu_seconds(self) -> float:
        """Processor time of all threads so far, to the nanosecond; 0 if unknown."""
        total = 0
        for thread in Path(f"/proc/{self.pid}/task").glob("*/schedstat"):
            try:
                total += int(thread.read_text().split()[0])
            except OSError:  # the thread has ended
                continue
        return total / 1e9


@contextmanager
def referee(*options: str, listen: str = "") -> Iterator[Server]:
    """Run a referee with these options, for bots on a Unix socket or on `listen`.

    Raises:
        HostError: it is not installed, or does not start.
    """
    if importlib.util.find_spec("damrak_referee") is None or not _is_complete():
        raise HostError("the referee is not installed: pip install 'damrak[referee]'")
    with tempfile.TemporaryDirectory(prefix="dmk") as place:
        folder = Path(place)
        listen, control = listen or f"unix:{folder}/l.sock", f"unix:{folder}/c.sock"
        ready = folder / "ready.json"
        command = ["-m", "damrak_referee", "--listen", listen, "--control", control]
        command += ["--run", f"{folder}/run", "--store", f"{folder}/store"]
        command += ["--ready-file", str(ready), *options]
        with _child(command, folder) as child:
            _wait_for(ready, child, folder)
            yield Server(json.loads(ready.read_text())["listen"], control, child.pid)


@contextmanager
def echo(size: int) -> Iterator[Server]:
    """Run a bare exchange whose answers have `size` bytes."""
    with tempfile.TemporaryDirectory(prefix="dmk") as place:
        folder = Path(place)
        socket = folder / "e.sock"
        command = ["-m", "damrak.benchmark.referee.echo", str(socket), str(size)]
        with _child(command, folder) as child:
            _wait_for(socket, child, folder)
            yield Server(f"unix:{socket}", "", child.pid)


@contextmanager
def _child(command: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "log").open("wb") as log:
        child = subprocess.Popen(  # noqa: S603 - our own modules
            [sys.executable, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _wait_for(sign: Path, child: subprocess.Popen[bytes], folder: Path) -> None:
    give_up = time.monotonic() + PATIENCE
    while not sign.exists():
        if child.poll() is not None or time.monotonic() > give_up:
            last = (folder / "log").read_text(errors="replace").strip().splitlines()[-1:]
            raise HostError(f"the server to be measured did not start: {' '.join(last)}")
        time.sleep(0.02)


def _is_complete() -> bool:
    needed = ("grpc_health", "grpc_reflection", "prometheus_client", "structlog")
    return all(importlib.util.find_spec(name) is not None for name in needed)
