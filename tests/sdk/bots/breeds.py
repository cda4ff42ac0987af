"""Bots that start processes, leave them running, and record their ids."""

import os
import signal
import time
from pathlib import Path

from damrak import Bot, View

PIDS = Path(os.environ["PIDS"])


def note_pid() -> None:
    with PIDS.open("a") as file:
        file.write(f"{os.getpid()}\n")


def await_pids(number: int) -> None:
    while not PIDS.exists() or PIDS.read_text().count("\n") < number:
        time.sleep(0.001)


class Children(Bot):
    def choose(self, view: View) -> int:
        if view.turns == 0:
            for _ in range(5):
                if os.fork() == 0:
                    note_pid()
                    time.sleep(3600)
            await_pids(5)
        return view.legal[0]


class Daemons(Bot):
    """Starts a daemon in a new session that ignores signals."""

    def choose(self, view: View) -> int:
        if view.turns == 0:
            if os.fork() == 0:
                os.setsid()
                if os.fork():
                    os._exit(0)
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                note_pid()
                time.sleep(3600)
            await_pids(1)
        return view.legal[0]


class ChildThatAnswers(Bot):
    """Two processes on one connection."""

    def choose(self, view: View) -> int:
        os.fork()
        note_pid()
        return view.legal[0]


class FamilyThatHangs(Bot):
    def choose(self, view: View) -> int:
        if os.fork() == 0:
            os.setsid()
        note_pid()
        time.sleep(3600)
        return 0
