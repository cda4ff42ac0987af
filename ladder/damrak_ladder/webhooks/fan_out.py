"""Creation of deliveries from the log of changes, for each endpoint that wants an event.

The position and the deliveries are written in one transaction, so that after a crash no event is
lost, and none gets two deliveries.
"""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final

from django.db import transaction

from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import has_role
from damrak_ladder.changes.models import Change, ChangeKind
from damrak_ladder.changes.positions import reach
from damrak_ladder.events.gate import permitted
from damrak_ladder.events.queries import events_after
from damrak_ladder.events.values import Event, EventType, Filter
from damrak_ladder.notices.kinds import Channel, Kind
from damrak_ladder.notices.models import Notice
from damrak_ladder.notices.rules import wanted
from damrak_ladder.webhooks.models import Endpoint, Post, Progress, Target

NOTICE: Final = "notice.created"
TYPES: Final = (NOTICE, *EventType.values)
"""The types of events that an endpoint can be limited to."""
_ONE: Final = 1
_FILTERS: Final[dict[Target, Callable[[str], Filter]]] = {
    Target.BOT: lambda name: Filter(bot=name),
    Target.LADDER: lambda name: Filter(ladder=name),
    Target.TOURNAMENT: lambda name: Filter(tournament=name),
}


def fan_out(now: datetime) -> int:
    """Create the deliveries of all new events; return their number."""
    last, _ = reach()
    made = 0
    while True:
        with transaction.atomic():
            progress = _locked(last)
            if progress.position >= last:
                return made
            made += _deliveries(progress, last, now)
            progress.save(update_fields=["position"])


def new_post(endpoint: Endpoint, key: str, kind: str, at: datetime, data: Any) -> Post:
    """Return a delivery that has not been saved. Its body names ids only."""
    body = {"type": kind, "timestamp": at.isoformat(), "data": data}
    return Post(
        endpoint=endpoint,
        message=f"msg_{secrets.token_hex(16)}",
        key=key,
        type=kind,
        body=json.dumps(body, ensure_ascii=False, separators=(",", ":")),
    )


def _locked(last: int) -> Progress:
    """Return the locked progress. It begins now: what was before is not posted."""
    Progress.objects.get_or_create(pk=_ONE, defaults={"position": last})
    return Progress.objects.select_for_update().get(pk=_ONE)


def _deliveries(progress: Progress, last: int, now: datetime) -> int:
    before = progress.position
    events, reached = events_after(before)
    progress.position = reached if reached > before else last
    endpoints = Endpoint.objects.filter(disabled=None, user__is_active=True)
    posts = _of_notices(endpoints, before, progress.position)
    by_user: dict[User, list[Endpoint]] = defaultdict(list)
    for endpoint in endpoints.exclude(target=Target.NOTICES).select_related("user"):
        by_user[endpoint.user].append(endpoint)
    for user, theirs in by_user.items():
        posts += _of_events(user, theirs, events)
    for post in posts:
        post.created = post.due = now
    Post.objects.bulk_create(posts, ignore_conflicts=True)
    return len(posts)


def _of_events(user: User, endpoints: Iterable[Endpoint], events: list[Event]) -> list[Post]:
    matching = [
        (endpoint, event)
        for endpoint in endpoints
        for event in events
        if _wants(endpoint, event.type)
        and _FILTERS[Target(endpoint.target)](endpoint.name).matches(event)
    ]
    is_staff = has_role(user, Role.STAFF)
    doubtful = [
        event
        for _, event in matching
        if not event.is_public and (is_staff or user.pk in event.concerned)
    ]
    allowed = permitted(user, doubtful) if doubtful else set()
    return [
        new_post(endpoint, f"change {event.position}", event.type, event.at, _data_of(event))
        for endpoint, event in matching
        if event.is_public or event.position in allowed
    ]


def _wants(endpoint: Endpoint, kind: str) -> bool:
    return not endpoint.types or kind in endpoint.types


def _data_of(event: Event) -> dict[str, Any]:
    said = event.as_json()
    return {name: said[name] for name in said.keys() - {"type", "at"}}


def _of_notices(endpoints: Any, after: int, until: int) -> list[Post]:
    rows = Change.objects.filter(
        kind=ChangeKind.NOTICE_CREATED, position__gt=after, position__lte=until
    )
    notices = Notice.objects.filter(pk__in=list(rows.values_list("subject", flat=True)))
    by_user: dict[int, list[Notice]] = defaultdict(list)
    for notice in notices.order_by("pk"):
        by_user[notice.user_id].append(notice)
    if not by_user:
        return []
    return [
        new_post(
            endpoint,
            f"notice {notice.pk}",
            NOTICE,
            notice.created,
            {"notice": notice.pk, "kind": notice.kind, "link": notice.link},
        )
        for endpoint in (
            endpoints.filter(target=Target.NOTICES, user__in=list(by_user)).select_related("user")
        )
        for notice in by_user[endpoint.user_id]
        if _wants(endpoint, NOTICE) and Channel.WEBHOOK in wanted(endpoint.user, Kind(notice.kind))
    ]
