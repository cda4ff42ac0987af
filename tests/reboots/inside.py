"""The program in the virtual machine: the platform, and a reporter of its records.

Prints the records found at boot, then `begin`, `well` once all parts are healthy, and every match
when it is recorded. With `prove` it then stops the platform and verifies its numbers.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

DISK = Path("/tmp/disk")
HOME = DISK / "home"
DATABASE = HOME / "damrak.sqlite3"
ADDRESS = "http://127.0.0.1:8000"
RECORDED = """
    SELECT matches_match.id, matches_match.replay FROM matches_match
    JOIN replays_storedreplay ON replays_storedreplay.hash = matches_match.replay
"""


def main() -> None:
    """Run the platform and report."""
    os.environ.update(DAMRAK_HOME=str(HOME), DAMRAK_PORT="8000")
    told: set[str] = set()
    tell(told)
    say("begin")
    with (DISK / "up.log").open("ab") as log:
        platform = subprocess.Popen(["damrak-ladder", "up"], stdout=log, stderr=log)
    is_well = False
    while not (is_well and sys.argv[1] == "prove"):
        if platform.poll() is not None:
            say(f"failed: the platform ended with {platform.returncode}")
            return
        tell(told)
        if not is_well and (is_well := answers("/healthz") and dressed()):
            say("well")
        time.sleep(0.2)
    platform.send_signal(signal.SIGINT)
    platform.wait()
    tell(told)
    done = subprocess.run(["damrak-ladder", "ratings", "rebuild", "--check"])
    say(f"proof {done.returncode}")


def tell(told: set[str]) -> None:
    """Report records that have not been reported yet."""
    if not DATABASE.exists():
        return
    try:
        database = sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True, timeout=20)
        with closing(database):
            found = {f"{match} {replay}" for match, replay in database.execute(RECORDED)}
    except sqlite3.OperationalError as problem:  # it is being created, or has no tables yet
        sys.stderr.write(f"{problem}\n")
        return
    for line in sorted(found - told):
        say(f"recorded {line}")
    told |= found


def answers(path: str) -> bytes:
    """Return the response of the site; empty if it is unavailable."""
    try:
        with urllib.request.urlopen(ADDRESS + path, timeout=60) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as problem:
        sys.stderr.write(f"{path}: {problem} {problem.read()[:500]!r}\n")
    except OSError as problem:
        sys.stderr.write(f"{path}: {problem}\n")
    return b""


def dressed() -> bool:
    """Return whether the style sheets of the first page exist and have content."""
    page = answers("/en/").decode()
    links = [part.partition('"')[0] for part in page.split('href="')[1:]]
    sheets = [link for link in links if ".css" in link]
    return bool(sheets) and all(map(answers, sheets))


def say(line: str) -> None:
    """Report a line."""
    sys.stdout.write(f">{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
