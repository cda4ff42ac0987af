"""The processor load of the platform, and the rests that limit it to a share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def seconds_of_tree(root: int) -> float | None:
    """Return the processor time of a process and its descendants in seconds; None if unknown.

    Ended processes count, as their time is added to that of the parent that waited for them.
    """
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    try:
        entries = os.listdir(PROC)
    except OSError:
        return None
    for entry in entries:
        if not entry.isdigit():
            continue
        try:
            fields = (PROC / entry / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue  # it has ended in the meantime
        parents[int(entry)] = int(fields[1])
        used[int(entry)] = sum(map(int, fields[11:15]))
    if root not in used:
        return None
    children: dict[int, list[int]] = {}
    for process, parent in parents.items():
        children.setdefault(parent, []).append(process)
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        total += used[process]
        waiting += children.get(process, [])
    return total / _TICKS


@dataclass(slots=True)
class Governor:
    """Converts processor time used into rests, so that over time a share of the machine is used.

    Unused time is not saved up: a quiet hour does not allow a busy one.
    """

    share: float  # of all processors
    processors: int
    _debt: float = 0.0
    _used: float | None = None
    _seen: float = 0.0

    def rest_until(self, used: float, now: float) -> float:
        """Return when the next block may begin after this usage; `now` if at once."""
        allowed = self.share * self.processors
        if self._used is not None:
            spent = max(0.0, used - self._used)
            self._debt = max(0.0, self._debt + spent - allowed * (now - self._seen))
        self._used, self._seen = used, now
        return now + self._debt / allowed
