"""The work loop of an analyst."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.conf import settings

from damrak_ladder.analyses.computation import compute_next
from damrak_ladder.analyses.sources import count_next
from damrak_ladder.installation.pace import wait_for_turn

SHIFT_S: Final = 30.0
"""The duration of one task in seconds, so that a stop signal waits for one match at most."""


def work(clock: Callable[[], datetime]) -> None:
    """Compute waiting analyses until there are none or the shift is over."""
    until = time.monotonic() + SHIFT_S
    while time.monotonic() < until:
        wait_for_turn(settings.DAMRAK_HOME, 0, None)
        if not (count_next(clock) or compute_next(clock)):
            return
