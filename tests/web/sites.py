"""A real site in a process of its own, with a data folder of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PATIENCE_S = 120


@dataclass(frozen=True)
class Site:
    """Where it is, and where its files are."""

    url: str
    home: Path


@contextmanager
def running_site(home: Path, blocks: int) -> Iterator[Site]:
    """A site that answers, on which so many blocks were played."""
    port = _free_port()
    variables = _clean() | {"DAMRAK_HOME": str(home), "DAMRAK_PORT": str(port)}
    seed = [sys.executable, "-m", "web.seed", str(blocks)]
    subprocess.run(seed, env=variables | {"PYTHONPATH": str(TESTS)}, check=True)
    log = home / "site.log"
    command = [sys.executable, "-m", "damrak_ladder", "site"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=variables, stdout=output, stderr=output)
    site = Site(f"http://127.0.0.1:{port}", home)
    try:
        _await(site, process, log)
        yield site
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(site: Site, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(f"the site has ended: {log.read_text()}")
        with suppress(OSError), urllib.request.urlopen(f"{site.url}/en/", timeout=30):
            return
        time.sleep(0.1)
    raise AssertionError(f"the site does not answer: {log.read_text()}")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _clean() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("DAMRAK_LADDER_") and name not in {"DAMRAK_PORT", "DATABASE_URL"}
    }
