"""The shared launcher of this process, started on first use."""

from __future__ import annotations

import atexit
import os
import sys

from damrak.hosting.launch import Launcher

_launchers: dict[int, Launcher] = {}  # by process id: a forked process needs its own


def launcher() -> Launcher:
    """Return the launcher of this process."""
    process = os.getpid()
    if process not in _launchers:
        _launchers[process] = new_launcher()
    return _launchers[process]


def new_launcher() -> Launcher:
    """Return a new launcher of the best kind for this platform."""
    if sys.platform == "win32":
        from damrak.hosting.interpreters import PlainLauncher

        return PlainLauncher()
    from damrak.hosting.forked import ForkLauncher

    return ForkLauncher()


def is_running() -> bool:
    """Return whether this process has a launcher already."""
    return os.getpid() in _launchers


def discard_launcher() -> None:
    """End the launcher with all its bots, as required after an interrupted exchange of messages."""
    found = _launchers.pop(os.getpid(), None)
    if found is not None:
        found.close()


atexit.register(discard_launcher)
