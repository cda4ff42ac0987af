"""Forget notices that nobody will look for any more."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from damrak_ladder.notices.models import Notice

KEPT: Final = timedelta(days=180)
_AT_ONCE: Final = 1000


def forget(now: datetime) -> int:
    """Delete the oldest notices if they are older than half a year; how many.

    Their keys are forgotten with them: what is told again after so long counts as new.
    """
    oldest = Notice.objects.order_by("pk").values_list("pk", "created")[:_AT_ONCE]
    old = [pk for pk, created in oldest if created < now - KEPT]
    Notice.objects.filter(pk__in=old).delete()
    return len(old)
