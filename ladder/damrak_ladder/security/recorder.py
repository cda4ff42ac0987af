"""Writing to the security log: one structured log line and one row for each event."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from allauth.core import context as current
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from damrak_ladder.security.kinds import FLOODABLE, SecurityEvent

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

    from damrak_ladder.security.models import SecurityLogEntry

MERGE_WINDOW: Final = timedelta(minutes=10)
ROWS_PER_SOURCE: Final = 20
"""Rows of one kind, user and address within the window; further events increase `times`."""
ROWS_PER_HOUR: Final = 1000
"""Rows of one kind within an hour, whatever the source."""

_log = logging.getLogger("damrak_ladder.security")


@dataclass(frozen=True, slots=True)
class _Event:
    kind: str
    user_id: int | None
    name: str
    address: str
    detail: dict[str, Any]


def record(
    kind: SecurityEvent,
    *,
    request: HttpRequest | None = None,
    user: AbstractBaseUser | None = None,
    name: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Record an event about this user, or about an account of this name.

    Without `request`, the current request is used, if there is one. Never raises: the action must
    not fail because it could not be recorded.
    """
    try:
        request = request if request is not None else current.request
        event = _event(kind, request, user, name, dict(detail or {}))
    except Exception:  # noqa: BLE001 - see above
        _log.exception("security_event_not_recorded", extra={"kind": str(kind)})
        return
    times = 1
    try:
        with transaction.atomic():  # a failure must not break the caller's transaction
            times = _keep(event, timezone.now())
    except Exception:  # noqa: BLE001 - see above
        _log.exception("security_event_not_kept", extra={"kind": event.kind})
    if times & (times - 1) == 0:  # a flood must not fill the log either: 1, 2, 4, 8 …
        _log.info("security_event", extra=_line(event, times))


def address_of(request: HttpRequest | None) -> str:
    """Return the client's address; the server has resolved that of a trusted proxy already."""
    return "" if request is None else str(request.META.get("REMOTE_ADDR", ""))[:60]


def _event(
    kind: SecurityEvent,
    request: HttpRequest | None,
    user: AbstractBaseUser | None,
    name: str,
    detail: dict[str, Any],
) -> _Event:
    actor = getattr(request, "user", None)
    if user is not None and actor is not None and actor.is_authenticated and actor.pk != user.pk:
        detail.setdefault("by", actor.get_username())
    if request is None:
        detail.setdefault("by", "command line")
    elif kind is SecurityEvent.ACCESS_REFUSED:
        detail.setdefault("method", request.method)
        detail.setdefault("path", request.path[:200])
    if not name and user is not None:
        name = user.get_username()
    return _Event(
        str(kind), None if user is None else user.pk, name[:150], address_of(request), detail
    )


def _keep(event: _Event, now: datetime) -> int:
    """Store the event in a new row or an earlier one; return the row's number of events."""
    from damrak_ladder.security.models import SecurityLogEntry  # needs all apps to be loaded

    if event.kind in FLOODABLE and (full := _full_row(event, now)) is not None:
        SecurityLogEntry.objects.filter(pk=full.pk).update(times=F("times") + 1)
        return full.times + 1
    SecurityLogEntry.objects.create(at=now, **asdict(event))
    return 1


def _full_row(event: _Event, now: datetime) -> SecurityLogEntry | None:
    """Return the row to merge the event into, if the maximum number of rows is reached."""
    from damrak_ladder.security.models import SecurityLogEntry

    same_kind = SecurityLogEntry.objects.filter(kind=event.kind)
    source: dict[str, Any] = {"user_id": event.user_id, "address": event.address}
    same_source = same_kind.filter(at__gte=now - MERGE_WINDOW, **source)
    latest = list(same_source.order_by("-pk")[:ROWS_PER_SOURCE])
    if len(latest) == ROWS_PER_SOURCE:
        return latest[0]
    within_hour = same_kind.filter(at__gte=now - timedelta(hours=1)).order_by("-pk")
    if within_hour[:ROWS_PER_HOUR].count() == ROWS_PER_HOUR:
        return within_hour.first()
    return None


def _line(event: _Event, times: int) -> dict[str, Any]:
    said: dict[str, Any] = {"kind": event.kind, "user": event.name, "address": event.address}
    if event.detail:
        said["detail"] = event.detail
    if times > 1:
        said["times"] = times
    return said
