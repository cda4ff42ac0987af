"""Bots that end their process."""

import faulthandler
import os
import signal
import sys

from damrak import Bot, View


class Politely(Bot):
    def choose(self, view: View) -> int:
        sys.exit(3)


class Abruptly(Bot):
    def choose(self, view: View) -> int:
        print("last words")  # noqa: T201
        os._exit(7)


class WithSuccess(Bot):
    def choose(self, view: View) -> int:
        os._exit(0)


class BySegfault(Bot):
    def choose(self, view: View) -> int:
        faulthandler._sigsegv()  # type: ignore[attr-defined]
        return 0


class BySignal(Bot):
    def choose(self, view: View) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0


class Interrupted(Bot):
    def choose(self, view: View) -> int:
        raise KeyboardInterrupt
