"""Bots that never return."""

import os
import signal
import threading
import time
from pathlib import Path

from damrak import Bot, MatchInfo, Result, View


def note() -> None:
    """Record that the bot hangs from now on, if a test asks for it."""
    if "HUNG" in os.environ:
        Path(os.environ["HUNG"]).touch()


class Smallest(Bot):
    def choose(self, view: View) -> int:
        return view.legal[0]


class InStart(Smallest):
    def start(self, match: MatchInfo) -> None:
        note()
        time.sleep(3600)


class InChoose(Smallest):
    def choose(self, view: View) -> int:
        if view.turns:
            self.think_forever()
        return view.legal[0]

    def think_forever(self) -> None:
        note()
        while True:
            pass


class InNativeCode(Smallest):
    def choose(self, view: View) -> int:
        note()
        return sum(range(10**15))


class InThread(Smallest):
    def choose(self, view: View) -> int:
        worker = threading.Thread(target=self.work_forever, daemon=True)
        worker.start()
        note()
        worker.join()
        return 0

    def work_forever(self) -> None:
        while True:
            time.sleep(0.001)


class DeafToSignals(Smallest):
    def choose(self, view: View) -> int:
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        time.sleep(3600)
        return 0


class Stopped(Smallest):
    def choose(self, view: View) -> int:
        note()
        signal.raise_signal(signal.SIGSTOP)
        return view.legal[0]


class InFinish(Smallest):
    def finish(self, result: Result) -> None:
        time.sleep(3600)
