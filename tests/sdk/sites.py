"""A ladder's site in a separate process, on SQLite, without players."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from cli import damrak
from ports import free_port

SECONDS = 600  # a safety net; nothing here measures time


@dataclass(frozen=True)
class Site:
    """The address of a site, and an operator's access to its tables."""

    url: str
    home: Path
    operator: subprocess.Popen[str]

    def say(self, code: str) -> str:
        """Run code with access to the tables and return its output."""
        assert self.operator.stdin is not None
        assert self.operator.stdout is not None
        self.operator.stdin.write(json.dumps(code) + "\n")
        self.operator.stdin.flush()
        said = json.loads(self.operator.stdout.readline())
        assert said["trouble"] is None, said["trouble"]
        return str(said["printed"]).strip()

    def token_of(self, name: str) -> str:
        """Return a new token of a user, who is created if necessary."""
        return self.say(_TOKEN.format(name=name))

    def damrak(self, *arguments: str | Path, config: Path, **more: str):  # type: ignore[no-untyped-def]
        """Run `damrak ARGUMENTS` with its login file in this folder; return the process."""
        return damrak(*arguments, env=self.for_damrak(config, **more), timeout=SECONDS)

    def for_damrak(self, config: Path, **more: str) -> dict[str, str]:
        """Return the environment of a user whose login file is in this folder."""
        kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        return {**kept, "XDG_CONFIG_HOME": str(config), "NO_COLOR": "1", **more}


# Executes the code that it reads, piece by piece, and prints the results. Django is loaded once,
# because loading it for every piece would take too long.
_OPERATOR = """
import contextlib, io, json, sys, traceback
from damrak_ladder.management import load
load()
from django.db import connection
from django.utils import timezone
from damrak_ladder.accounts.models import User
for line in sys.stdin:
    printed, trouble = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        try:
            exec(json.loads(line), {"User": User, "now": timezone.now()})
        except Exception:
            trouble = traceback.format_exc()
    connection.close()
    print(json.dumps({"printed": printed.getvalue(), "trouble": trouble}), flush=True)
"""

_MIGRATE = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
"""

_TOKEN = """
from damrak_ladder.accounts.tokens import issue
user, _ = User.objects.get_or_create(username="{name}", email="{name}@example.org")
count = user.api_tokens.count()
print(issue(user, f"token {{count}}", ["read", "submit", "play"], now)[1])
"""


@contextlib.contextmanager
def running_site(home: Path) -> Iterator[Site]:
    """Yield a site that responds."""
    port = free_port()
    variables = {name: value for name, value in os.environ.items() if "DAMRAK" not in name}
    variables |= {
        "DAMRAK_HOME": str(home),
        "DAMRAK_PORT": str(port),
        "DAMRAK_LADDER_BROKER": f"redis+socket://{home}/nobody.sock",
    }
    with subprocess.Popen(
        [sys.executable, "-c", _OPERATOR],
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as operator:
        site = Site(f"http://127.0.0.1:{port}", home, operator)
        site.say(_MIGRATE)
        with _answering(site, variables):
            yield site


@contextlib.contextmanager
def _answering(site: Site, variables: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", "damrak_ladder", "site"],
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _wait_for(site, process)
        yield
    finally:
        process.terminate()
        try:
            process.wait(SECONDS)
        finally:
            process.kill()
            process.wait()
            assert process.stderr is not None
            process.stderr.close()


def _wait_for(site: Site, process: subprocess.Popen[bytes]) -> None:
    deadline = monotonic() + SECONDS
    while True:
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        try:
            with urllib.request.urlopen(f"{site.url}/api/v1/", timeout=SECONDS) as answer:
                assert json.load(answer)["software"] == "damrak"
                return
        except (urllib.error.URLError, OSError):
            assert monotonic() < deadline
            sleep(0.05)
