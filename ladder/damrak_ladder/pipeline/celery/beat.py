"""The scheduler of periodic tasks, which tolerates a clock that is set back."""

from __future__ import annotations

import logging
from typing import Any

from celery.beat import ScheduleEntry, Scheduler, SchedulingError

_log = logging.getLogger(__name__)


class Beat(Scheduler):
    """Celery's scheduler, which otherwise would pause for as long as the clock was set back.

    It stores nothing, so nothing can be corrupted when it is killed.
    """

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Send the due tasks; return the seconds until the next call is due."""
        now = self.app.now()
        if now < getattr(self, "_latest", now):
            for entry in self.schedule.values():
                entry.last_run_at = now
            self._heap = None  # its times are of the old clock
        self._latest = now
        return super().tick(*arguments, **options)

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send a task. Log an unreachable broker in one line, not with a traceback."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as problem:
            _log.warning("message_not_sent", extra={"task": entry.task, "why": str(problem)})
