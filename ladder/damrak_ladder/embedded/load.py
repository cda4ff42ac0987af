"""How much of the machine the platform uses, and the rests that keep it at its share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def seconds_of_tree(root: int) -> float | None:
    """Processor time of a process and all that descend from it; None where nobody can tell.

    Those that have ended count, for whoever has waited for them has their time.
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
            continue  # it has ended meanwhile
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
    """Turns time that was used into rests, such that over time a share of the machine is used.

    What was not used is not saved up: a quiet hour does not allow a loud one.
    """

    share: float  # of all processors
    processors: int
    _debt: float = 0.0
    _used: float | None = None
    _seen: float = 0.0

    def rest_until(self, used: float, now: float) -> float:
        """When the next block may begin, now that so much has been used; `now` if at once."""
        allowed = self.share * self.processors
        if self._used is not None:
            spent = max(0.0, used - self._used)
            self._debt = max(0.0, self._debt + spent - allowed * (now - self._seen))
        self._used, self._seen = used, now
        return now + self._debt / allowed
