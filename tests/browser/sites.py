"""A real site in a separate process, with its own data folder."""

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
PATIENCE_S = 600  # a safety net; nothing here measures time


@dataclass(frozen=True)
class Site:
    """A running site: its URL and its data folder."""

    url: str
    home: Path


def seeded(folder: Path, blocks: int) -> Path:
    """Return a data folder with this number of played blocks, which is created once."""
    home = folder / f"seeded-{blocks}"
    done = home / "seeded"
    with (folder / "seeding.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other processes of the same run use it as well
        if not done.exists():
            _seed(home, blocks)
            done.touch()
    return home


@contextmanager
def running_site(
    home: Path, blocks: int | None = None, port: int | None = None, **settings: str
) -> Iterator[Site]:
    """Yield a site with this data folder, after playing this number of blocks, if given."""
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
    subprocess.run([sys.executable, "-m", "browser.seed", str(blocks)], env=variables, check=True)


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
