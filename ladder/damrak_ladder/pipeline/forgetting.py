"""What grows without end and is of no more use is deleted, once a night.

What ratings, ledgers and replays rest on is never touched: blocks, matches, seats, results, faults
and attempts stay, and so does what a version came to. Deleting twice does no harm, so it may be
ended at any point and begun again.
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

from damrak_ladder.accounts.models import FORMER_AUTHOR, ApiToken
from damrak_ladder.analyses.method import METHOD
from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.bots.models import ConnectToken, State, Step, StepKind, Version
from damrak_ladder.matches.models import Block, MatchTimings, SeatLog
from damrak_ladder.notices.models import Notice
from damrak_ladder.security.queries import entries_before

A_TIME: Final = 1000
"""So many rows are deleted in one transaction, so that nobody waits for long."""

PASSING: Final = (
    StepKind.CHECKED,
    StepKind.QUEUED,
    StepKind.PLAYING,
    StepKind.PLAYED,
)
"""What a version only passed through; where it arrived is kept."""

_log = logging.getLogger(__name__)


def forget(now: datetime) -> dict[str, int]:
    """Delete what has been kept for long enough; how much of each kind."""
    keeping = settings.DAMRAK_KEEPING

    def before(days: int) -> datetime:
        return now - timedelta(days=days)

    forgotten = {
        "logs": _by_age(SeatLog, "seat__match__block", before(keeping.logs)),
        "timings": _by_age(MatchTimings, "match__block", before(keeping.logs)),
        "steps": _delete(old_steps(before(keeping.steps))),
        "api_tokens": _delete(old_api_tokens(before(keeping.tokens))),
        "connect_tokens": _delete(ConnectToken.objects.filter(revoked__lt=before(keeping.tokens))),
        "analyses": _delete(old_analyses(before(keeping.analyses))),
        "notices": _delete(Notice.objects.filter(created__lt=before(keeping.notices))),
        "security": _delete(entries_before(before(keeping.security))),
        "sessions": _delete(Session.objects.filter(expire_date__lt=now)),
        "session_details": _delete(ended_sessions()),
        "logs_of_former_authors": _delete(logs_of_former_authors()),
    }
    if any(forgotten.values()):
        _log.info("forgotten", extra=forgotten)
    return forgotten


def is_log_forgotten(block: Block, now: datetime) -> bool:
    """Whether what the bots of this block wrote has been deleted, or will be tonight."""
    oldest = now - timedelta(days=settings.DAMRAK_KEEPING.logs)
    return (block.finished or block.created) < oldest


def old_steps(before: datetime) -> QuerySet[Step]:
    """What versions passed through that have long been somewhere."""
    under_way = Version.objects.filter(pk=OuterRef("version"), state=State.QUALIFYING)
    return Step.objects.filter(~Exists(under_way), kind__in=PASSING, at__lt=before)


def old_api_tokens(before: datetime) -> QuerySet[ApiToken]:
    """Tokens that have been good for nothing for so long."""
    return ApiToken.objects.filter(Q(revoked__lt=before) | Q(expires__lt=before))


def old_analyses(before: datetime) -> QuerySet[Analysis]:
    """What was asked for so long ago, or found by an earlier method; it is found again if somebody
    looks."""
    over = Analysis.objects.filter(state__in=(AnalysisState.DONE, AnalysisState.FAILED))
    return over.filter(Q(asked__lt=before) | ~Q(method=METHOD))


def ended_sessions() -> QuerySet[UserSession]:
    """From where and when users used sessions that are over."""
    going_on = Session.objects.filter(pk=OuterRef("session_key"))
    ended: QuerySet[UserSession] = UserSession.objects.filter(~Exists(going_on))
    return ended


def logs_of_former_authors() -> QuerySet[SeatLog]:
    """What the bots of deleted accounts wrote, which was for their authors only."""
    return SeatLog.objects.filter(seat__version__bot__owner__username=FORMER_AUTHOR)


def _delete(old: QuerySet[Any]) -> int:
    """Delete all of these, some at a time; how many."""
    return _in_parts(lambda: list(old.order_by("pk").values_list("pk", flat=True)[:A_TIME]), old)


def _in_parts(some: Callable[[], list[Any]], rows: QuerySet[Any]) -> int:
    forgotten = 0
    while keys := some():
        rows.model._base_manager.filter(pk__in=keys).delete()
        forgotten += len(keys)
    return forgotten


def _by_age(model: type[Model], block: str, before: datetime) -> int:
    """Delete rows whose block is older, the oldest first, up to where the younger ones begin.

    Rows have no date of their own, but hardly come in another order than their blocks end. So it
    is enough to look at them in that order, and what is young is not looked through every night.
    """
    forgotten = last = 0
    while True:
        columns = ("pk", f"{block}__finished", f"{block}__created")
        rows = list(
            model._base_manager.filter(pk__gt=last).order_by("pk").values_list(*columns)[:A_TIME]
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
