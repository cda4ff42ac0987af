"""Low priority: a bot gets about a seventh of the processor time of one with the usual priority.

This only applies while processors are busy. Control groups of processors are compared with each
other by their weight; processes that are in no such group of their own, by their niceness.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

NICENESS: Final = 9  # `damrak-ladder up` runs the referee with 10, and 19 is the most
SHARES: Final = 137  # control groups of version 1; usually 1024. It is the kernel's weight of 9
WEIGHT: Final = 13  # control groups of version 2; usually 100
_SESSION: Final = Path("/proc/self/autogroup")
_RETRIES: Final = 10
_PAUSE_S: Final = 0.02


def lower_priority() -> None:
    """Lower the priority of this process, which leads a session of its own."""
    os.nice(NICENESS)
    # Kernels with automatic groups compare sessions, and niceness within them.
    for _ in range(_RETRIES):
        try:
            _SESSION.write_text(str(NICENESS))
        except BlockingIOError:  # the kernel lets ordinary users do so ten times per second
            time.sleep(_PAUSE_S)
        except OSError:
            return  # there are no automatic groups
        else:
            return
