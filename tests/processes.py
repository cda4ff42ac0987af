"""The process tree, from the parents that processes report.

The kernel also has lists of children, but omits some while others of them exit.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

from damrak_referee.runner.priority import NICENESS

RELAY: Final = b"damrak_referee.runner.relay"


def children_of(parent: int) -> set[int]:
    """Return the child processes of this one, including zombies."""
    return _all_children().get(parent, set())


def descendants(of: int) -> set[int]:
    """Return all processes below this one."""
    children = _all_children()
    found: set[int] = set()
    new = {of}
    while new:
        new = {child for parent in new for child in children.get(parent, ())} - found
        found |= new
    return found


def relay_of(runner: int) -> int:
    """Return the relay process of a runner, which connects its sandboxes."""
    (relay,) = (child for child in children_of(runner) if RELAY in _command_line(child))
    return relay


def bots_of(runner: int) -> set[int]:
    """Return all processes of a runner's seats, including house bots."""
    return {child for child in descendants(runner) if RELAY not in _command_line(child)}


def niceness(process: int) -> int:
    """Return the niceness of a process."""
    return os.getpriority(os.PRIO_PROCESS, process)


def low_niceness(usual: int | None = None) -> int:
    """Return the niceness of bots of low priority; by default for referees of this process."""
    return min((os.nice(0) if usual is None else usual) + NICENESS, 19)


def is_alive(process: int) -> bool:
    """Return whether a process is running; zombies are not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def _command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def _all_children() -> dict[int, set[int]]:
    children: dict[int, set[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry.name}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
                children.setdefault(parent, set()).add(int(entry.name))
    return children
