"""A whole platform for tests, as `damrak-ladder up` runs it."""

from __future__ import annotations

import http.client
import json
import os
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest

from processes import children_of

PATIENCE = 600.0  # a safety net; nothing here measures time
COMMAND = [sys.executable, "-m", "damrak_ladder"]
NEEDS_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="a platform needs Linux")


@contextmanager
def new_home() -> Iterator[Path]:
    """Yield a data folder that does not exist yet, with a short path."""
    folder = Path(tempfile.mkdtemp(prefix="dmk", dir="/tmp"))
    try:
        yield folder / "home"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def variables(home: Path, port: int, **more: str) -> dict[str, str]:
    """Return the environment of a platform, without the variables of the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DAMRAK_L")}
    kept.pop("DATABASE_URL", None)
    # Set by the SDK, which is loaded here; workers do fork.
    kept.pop("GRPC_ENABLE_FORK_SUPPORT", None)
    kept.pop("MAKELEVEL", None)
    return kept | {"DAMRAK_HOME": str(home), "DAMRAK_PORT": str(port)} | more


def run(home: Path, port: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command on that installation to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env=variables(home, port),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def play_short_games(home: Path, port: int) -> None:
    """Let the house bots play on the smallest board only, for tests that need many games."""
    for arguments in (
        ("ladders", "close", "daily"),
        ("ladders", "change", "amsterdam", "--boards", "practice"),
    ):
        done = run(home, port, *arguments)
        assert done.returncode == 0, done.stderr


def wait_for(is_so: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)


PROCESSES = frozenset({"site", "worker", "clerk", "beat", "analyst", "relay"})


class Platform:
    """A running platform; `said` is its output."""

    def __init__(self, home: Path, port: int, *options: str, **more: str) -> None:
        self.home, self.port = home, port
        self.said = ""
        self.process = subprocess.Popen(
            [*COMMAND, "up", *options],
            env=variables(home, port, **more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def wait_until_up(self) -> Platform:
        """Wait until it has printed its address and how to stop it."""
        end = time.monotonic() + PATIENCE
        assert self.process.stdout is not None
        while "Ctrl-C" not in self.said:
            assert time.monotonic() < end, self.said
            if select.select([self.process.stdout], [], [], 1.0)[0]:
                read = os.read(self.process.stdout.fileno(), 65536)
                assert read, self.said + self.logs()
                self.said += read.decode()
        return self

    @property
    def admin(self) -> str:
        """The name of the administrator, as printed."""
        found = re.search(r"administrator +([^,]+),", self.said)
        assert found, self.said
        return found[1]

    def logs(self) -> str:
        """Return the logs of all parts."""
        return "".join(
            f"\n--- {log.name}\n{log.read_text('utf-8', 'replace')[-3000:]}"
            for log in sorted((self.home / "logs").glob("*.log"))
        )

    def health(self) -> tuple[int, dict[str, str]]:
        """Return the response of /healthz."""
        with _line(self.port) as connection:
            try:
                connection.request("GET", "/healthz")
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read())
            except (ConnectionError, http.client.HTTPException):
                return 0, {}  # the site is not running, or exited while responding

    def count(self, query: str) -> int:
        """Return a number from its database."""
        return self.numbers(query)[0]

    def numbers(self, query: str) -> list[int]:
        """Return the first column of rows in its database."""
        with closing(sqlite3.connect(self.home / "damrak.sqlite3", timeout=PATIENCE)) as connection:
            return [row[0] for row in connection.execute(query)]

    def recorded(self) -> int:
        """Return the number of recorded blocks."""
        return self.count("SELECT COUNT(*) FROM matches_block WHERE state = 'recorded'")

    def parts(self) -> dict[str, int]:
        """Return the process ids of its parts."""
        found = {}
        for pid in children_of(self.process.pid):
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has exited
            if words == [""] or "up" in words:
                continue  # a zombie, or just forked and not yet executed
            name = next(
                (word for word in words if word in PROCESSES),
                "referee" if "damrak_referee" in words else "broker",
            )
            found[name] = pid
        return found

    def all_parts(self, names: frozenset[str]) -> dict[str, int]:
        """Wait until all these parts are running at once, and return their process ids."""
        found: dict[str, int] = {}

        def are_there() -> bool:
            found.clear()
            found.update(self.parts())
            return set(found) == names

        wait_for(are_there)
        return found

    def stop(self, number: int = signal.SIGINT) -> int:
        """Stop it and return its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def __enter__(self) -> Platform:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()


def _line(port: int) -> closing[http.client.HTTPConnection]:
    """Return a connection to a site."""
    return closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE))


class Browser:
    """A minimal browser for logging in."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cookies: dict[str, str] = {}

    def get(self, path: str) -> tuple[int, str]:
        """Return a page, following redirects."""
        return self._ask("GET", path, "")

    def post(self, path: str, **fields: str) -> tuple[int, str]:
        """Submit a form."""
        fields["csrfmiddlewaretoken"] = self._cookies.get("csrftoken", "")
        return self._ask("POST", path, urlencode(fields))

    def _ask(self, method: str, path: str, body: str) -> tuple[int, str]:
        for _ in range(5):
            with _line(self._port) as line:
                cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
                headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
                line.request(method, path, body, headers)
                answer = line.getresponse()
                text = answer.read().decode()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                found = re.match(r"([^=]+)=([^;]*)", cookie)
                assert found is not None
                self._cookies[found[1]] = found[2]
            moved = answer.headers.get("Location")
            if moved is None:
                return answer.status, text
            method, path, body = "GET", moved, ""
        raise AssertionError(f"{path}: moved in circles")
