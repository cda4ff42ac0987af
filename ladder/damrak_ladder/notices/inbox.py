"""The notices that a user sees on the site."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.models import Delivery, DeliveryState, Notice

MOST_UNREAD: Final = 100
"""The limit of counting, which keeps the query cheap."""


def unread(user: User) -> int:
    """Return the number of unread notices of a user, at most `MOST_UNREAD`."""
    return Notice.objects.filter(user=user, is_on_site=True, read=None)[:MOST_UNREAD].count()


def latest(user: User, before: int | None = None, limit: int = 30) -> list[Notice]:
    """Return the newest notices; with `before`, those older than the notice with that key."""
    notices = Notice.objects.filter(user=user, is_on_site=True)
    if before is not None:
        notices = notices.filter(pk__lt=before)
    return list(notices.order_by("-pk")[:limit])


def mark_read(user: User, now: datetime, notices: Iterable[int] | None = None) -> int:
    """Mark these notices, by key, or all as read; return how many were unread."""
    unread = Notice.objects.filter(user=user, is_on_site=True, read=None)
    if notices is not None:
        unread = unread.filter(pk__in=list(notices))
    return unread.update(read=now)


def dead(user: User, limit: int = 20) -> list[Delivery]:
    """Return the newest notices that could not be delivered, each with its channel and error."""
    lost = Delivery.objects.filter(user=user, state=DeliveryState.DEAD)
    return list(lost.select_related("notice").order_by("-pk")[:limit])
