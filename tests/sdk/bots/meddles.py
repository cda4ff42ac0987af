"""Bots that modify their own process to gain an advantage."""

import builtins
import json
import os
import random
import signal
import sys
from typing import Any

import damrak.hosting.messages
import damrak_engine.events
import damrak_engine.state
from damrak import Bot, View


class Engine(Bot):
    """Rewrites the rules, of which it has its own copy."""

    def choose(self, view: View) -> int:
        view.rules.board = None  # type: ignore[assignment]
        damrak_engine.events.KINDS.clear()  # type: ignore[attr-defined]
        damrak_engine.state.State = None  # type: ignore[assignment, misc]
        random.seed = None  # type: ignore[assignment]
        sys.stdout = None  # type: ignore[assignment]
        return view.legal[0]


class Host(Bot):
    """Breaks the code that communicates for it."""

    def choose(self, view: View) -> int:
        def broken(*_: Any, **__: Any) -> Any:
            raise RuntimeError("meddled with")

        json.dumps = broken
        damrak.hosting.messages.json = None  # type: ignore[assignment]
        builtins.isinstance = broken
        os._exit = broken
        return view.legal[0]


class Server(Bot):
    """Kills the process that it was forked from."""

    def choose(self, view: View) -> int:
        os.kill(os.getppid(), signal.SIGKILL)
        while True:  # until this process is killed as well
            signal.pause()
