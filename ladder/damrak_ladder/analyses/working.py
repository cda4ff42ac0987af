"""The analyst: a process that computes analyses, one at a time.

The queue is the table of analyses, so there is no message that could be lost.
"""

from __future__ import annotations

import logging
import signal
import time
from datetime import UTC, datetime
from types import FrameType
from typing import Final

from django.conf import settings
from django.db import DatabaseError, close_old_connections

from damrak_ladder.analyses.computing import compute_next
from damrak_ladder.analyses.notable import choose_notable
from damrak_ladder.analyses.sources import count_next
from damrak_ladder.installation.pace import wait_for_turn

IDLE_S: Final = 2.0
CHOOSE_EVERY_S: Final = 60.0
_log = logging.getLogger(__name__)


def work() -> None:
    """Compute whatever waits, until a signal ends it; what is half done then waits again."""
    signal.signal(signal.SIGTERM, _stop)
    chosen = 0.0
    while True:
        is_busy = False
        try:
            wait_for_turn(settings.DAMRAK_HOME, 0, None)
            is_busy = count_next(_now) or compute_next(_now)
            if not is_busy and time.monotonic() - chosen >= CHOOSE_EVERY_S:
                chosen = time.monotonic()
                is_busy = choose_notable(_now())
        except DatabaseError:
            _log.exception("analyst_without_database")
        close_old_connections()
        if not is_busy:
            time.sleep(IDLE_S)


def _now() -> datetime:
    return datetime.now(UTC)


def _stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
