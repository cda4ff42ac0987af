"""What sets tasks off, whatever becomes of the clock."""

from __future__ import annotations

import logging
from typing import Any

from celery.beat import ScheduleEntry, Scheduler, SchedulingError

_log = logging.getLogger(__name__)


class Beat(Scheduler):
    """Celery's own, which would stand still for as long as the clock was set back.

    It remembers nothing, so that nothing can be damaged when it is killed.
    """

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Set off what is due; seconds until it is worth while to look again."""
        now = self.app.now()
        if now < getattr(self, "_latest", now):
            for entry in self.schedule.values():
                entry.last_run_at = now
            self._heap = None  # the times in it are those of the old clock
        self._latest = now
        return super().tick(*arguments, **options)

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Set off a task. That the broker is away is told in a line each time, not in pages."""
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as problem:
            _log.warning("message_not_sent", extra={"task": entry.task, "why": str(problem)})
