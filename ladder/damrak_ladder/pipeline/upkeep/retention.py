"""Retention: nightly deletion of data that would otherwise grow without bound.

The data that ratings, ledgers and replays depend on is never deleted: blocks, matches, seats,
results, faults and attempts, and the final state of each version. Deletion is idempotent, so it can
be interrupted at any point and started again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from damrak_ladder.accounts.idempotency import old_keys
from damrak_ladder.accounts.models import FORMER_AUTHOR, ApiToken
from damrak_ladder.analyses.method import METHOD
from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.bots.models import ConnectToken, State, Step, StepKind, Version
from damrak_ladder.changes.positions import forget_changes
from damrak_ladder.matches.models import Block, MatchTimings, SeatLog
from damrak_ladder.notices.models import Notice
from damrak_ladder.security.queries import entries_before
from damrak_ladder.tournaments.visibility import blocks_under_way
from damrak_ladder.webhooks.models import Post

A_TIME: Final = 1000
"""Rows deleted per transaction, so that other transactions do not wait long."""

PASSING: Final = (
    StepKind.CHECKED,
    StepKind.QUEUED,
    StepKind.PLAYING,
    StepKind.PLAYED,
)
"""Intermediate steps of a version's journey; its final steps are kept."""

_log = logging.getLogger(__name__)


def forget(now: datetime) -> dict[str, int]:
    """Delete data whose retention period is over; return the number of deleted rows by kind."""
    keeping = settings.DAMRAK_KEEPING

    def before(days: int) -> datetime:
        return now - timedelta(days=days)

    forgotten = {
        "logs": _by_age(SeatLog, "seat__match__block", before(keeping.logs)),
        "timings": _by_age(MatchTimings, "match__block", before(keeping.logs)),
        "steps": _delete(old_steps(before(keeping.steps))),
        "api_tokens": _delete(old_api_tokens(before(keeping.tokens))),
        "idempotency_keys": _delete(old_keys(now)),
        "connect_tokens": _delete(ConnectToken.objects.filter(revoked__lt=before(keeping.tokens))),
        "analyses": _delete(old_analyses(before(keeping.analyses))),
        "notices": _delete(Notice.objects.filter(created__lt=before(keeping.notices))),
        "changes": forget_changes(before(keeping.changes)),
        "posts": _delete(Post.objects.filter(created__lt=before(keeping.notices))),
        "security": _delete(entries_before(before(keeping.security))),
        "sessions": _delete(Session.objects.filter(expire_date__lt=now)),
        "session_details": _delete(ended_sessions()),
        "logs_of_former_authors": _delete(logs_of_former_authors()),
    }
    if any(forgotten.values()):
        _log.info("forgotten", extra=forgotten)
    return forgotten


def is_log_forgotten(block: Block, now: datetime) -> bool:
    """Return whether the logs of this block's bots are deleted, or will be tonight."""
    oldest = now - timedelta(days=settings.DAMRAK_KEEPING.logs)
    return (block.finished or block.created) < oldest


def old_steps(before: datetime) -> QuerySet[Step]:
    """Return old intermediate steps of versions whose qualification is over."""
    under_way = Version.objects.filter(pk=OuterRef("version"), state=State.QUALIFYING)
    return Step.objects.filter(~Exists(under_way), kind__in=PASSING, at__lt=before)


def old_api_tokens(before: datetime) -> QuerySet[ApiToken]:
    """Return tokens that were revoked or expired before this date."""
    return ApiToken.objects.filter(Q(revoked__lt=before) | Q(expires__lt=before))


def old_analyses(before: datetime) -> QuerySet[Analysis]:
    """Return finished analyses that were requested before this date, or used an earlier method.

    They are computed again on request.
    """
    over = Analysis.objects.filter(state__in=(AnalysisState.DONE, AnalysisState.FAILED))
    return over.filter(Q(asked__lt=before) | ~Q(method=METHOD))


def ended_sessions() -> QuerySet[UserSession]:
    """Return the details (origin and times) of users' sessions that have ended."""
    going_on = Session.objects.filter(pk=OuterRef("session_key"))
    ended: QuerySet[UserSession] = UserSession.objects.filter(~Exists(going_on))
    return ended


def logs_of_former_authors() -> QuerySet[SeatLog]:
    """Return the logs of deleted accounts' bots, which only their authors could read."""
    return SeatLog.objects.filter(seat__version__bot__owner__username=FORMER_AUTHOR)


def _delete(old: QuerySet[Any]) -> int:
    """Delete all of these rows in batches; return their number."""
    return _in_parts(lambda: list(old.order_by("pk").values_list("pk", flat=True)[:A_TIME]), old)


def _in_parts(some: Callable[[], list[Any]], rows: QuerySet[Any]) -> int:
    forgotten = 0
    while keys := some():
        rows.model._base_manager.filter(pk__in=keys).delete()
        forgotten += len(keys)
    return forgotten


def _by_age(model: type[Model], block: str, before: datetime) -> int:
    """Delete rows whose block is older than this date, oldest first; return their number.

    The rows have no date of their own, but are created in nearly the same order as their blocks
    end. So the scan follows that order and stops at the first batch without old rows, instead of
    reading the recent rows every night.
    """
    forgotten = last = 0
    while True:
        columns = ("pk", f"{block}__finished", f"{block}__created")
        rows = list(
            model._base_manager.filter(pk__gt=last)
            .exclude(**{f"{block}__in": blocks_under_way()})
            .order_by("pk")
            .values_list(*columns)[:A_TIME]
        )
        old = list(_older(rows, before))
        if not old:
            return forgotten
        forgotten += len(old)
        model._base_manager.filter(pk__in=old).delete()
        last = rows[-1][0]


def _older(
    rows: Iterable[tuple[int, datetime | None, datetime]], before: datetime
) -> Iterable[int]:
    return (key for key, finished, created in rows if (finished or created) < before)
