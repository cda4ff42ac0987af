"""The database connection of a process, kept from one task to the next.

By default, Celery closes it before and after every task, which on PostgreSQL starts a server
process each time.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from celery.signals import task_postrun, task_prerun
from django.db import close_old_connections

from damrak_ladder.pipeline.celery.app import app

_NEVER: Final = sys.maxsize


def keep_connections() -> None:
    """Close only broken or old connections, as Django does between requests."""
    app.conf["CELERY_DB_REUSE_MAX"] = _NEVER
    task_prerun.connect(_close_old)
    task_postrun.connect(_close_old)


def _close_old(**_: Any) -> None:
    close_old_connections()
