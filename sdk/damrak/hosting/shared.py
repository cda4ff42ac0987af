"""The one launcher of this process, started when it is first needed."""

from __future__ import annotations

import atexit
import os
import sys

from damrak.hosting.launch import Launcher

_launchers: dict[int, Launcher] = {}  # by process: a fork has to make its own


def launcher() -> Launcher:
    """The launcher of this process."""
    process = os.getpid()
    if process not in _launchers:
        _launchers[process] = new_launcher()
    return _launchers[process]


def new_launcher() -> Launcher:
    """The best that this platform has."""
    if sys.platform == "win32":
        from damrak.hosting.plain import PlainLauncher

        return PlainLauncher()
    from damrak.hosting.forked import ForkLauncher

    return ForkLauncher()


def is_running() -> bool:
    """Whether this process has a launcher already."""
    return os.getpid() in _launchers


def discard_launcher() -> None:
    """End it and every bot of it; needed when something broke off what it was doing."""
    found = _launchers.pop(os.getpid(), None)
    if found is not None:
        found.close()


atexit.register(discard_launcher)
