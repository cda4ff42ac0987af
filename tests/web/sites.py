"""A real site in a process of its own, with a data folder of its own."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ports import free_port

TESTS = Path(__file__).resolve().parents[1]
PATIENCE_S = 600  # a safety net; nothing here is timed


@dataclass(frozen=True)
class Site:
    """Where it is, and where its files are."""

    url: str
    home: Path


def seeded(folder: Path, blocks: int) -> Path:
    """A data folder on whose ladders so many blocks were played; made once in that folder."""
    home = folder / f"seeded-{blocks}"
    done = home / "seeded"
    with (folder / "seeding.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other processes of the same run want it as well
        if not done.exists():
            _seed(home, blocks)
            done.touch()
    return home


@contextmanager
def running_site(
    home: Path, blocks: int | None = None, port: int | None = None, **settings: str
) -> Iterator[Site]:
    """A site that answers, with this data folder; first so many blocks are played if told so."""
    if blocks is not None:
        _seed(home, blocks)
    port = port or free_port()
    variables = _clean() | {"DAMRAK_HOME": str(home), "DAMRAK_PORT": str(port)} | settings
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
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _seed(home: Path, blocks: int) -> None:
    variables = _clean() | {"DAMRAK_HOME": str(home), "PYTHONPATH": str(TESTS)}
    subprocess.run([sys.executable, "-m", "web.seed", str(blocks)], env=variables, check=True)


def _await(site: Site, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(f"the site has ended: {log.read_text()}")
        with suppress(OSError), urllib.request.urlopen(f"{site.url}/en/", timeout=PATIENCE_S):
            return
        time.sleep(0.1)
    raise AssertionError(f"the site does not answer: {log.read_text()}")


def _clean() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("DAMRAK_LADDER_") and name not in {"DAMRAK_PORT", "DATABASE_URL"}
    }
