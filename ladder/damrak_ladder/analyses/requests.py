"""Requests for the analysis of a match, and access to its result."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, transaction

from damrak_ladder.accounts.budgets import spend
from damrak_ladder.analyses.method import METHOD
from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.replays.compression import decompress

MOST_WAITING: Final = 200
"""The maximum number of waiting requests; further ones are refused and may be made later."""

PER_HOUR: Final = 12
"""Requests per hour of one user, or from one address, that put a match into the queue."""


_OPEN: Final = (AnalysisState.WAITING, AnalysisState.RUNNING)


def analysis_of(match: Match) -> Analysis | None:
    """Return the current analysis of this match; not one of an earlier replay or method."""
    return Analysis.objects.filter(match=match, replay=match.replay, method=METHOD).first()


def request(match: Match, who: str, now: datetime) -> Analysis | None:
    """Queue the match for this user or address; None if too many requests wait.

    Matches that have been analysed or wait already do not count against the limit. The block has to
    be recorded: before that, its cards are secret.

    Raises:
        TooOften: this user or address has reached the limit per hour.
    """
    found = analysis_of(match)
    if found is not None or not _is_recorded(match):
        return found
    requested = Analysis.objects.filter(is_wanted=True, state__in=_OPEN)
    if requested.count() >= MOST_WAITING:
        return None
    spend("analysis", who, PER_HOUR, 3600)
    return _queue(match, now, is_wanted=True)


def choose(match: Match, now: datetime) -> Analysis | None:
    """Queue a notable match, ahead of those that were requested; None if it is not recorded."""
    found = analysis_of(match)
    if found is None:
        return _queue(match, now, is_wanted=False) if _is_recorded(match) else None
    waiting = Analysis.objects.filter(pk=found.pk, state=AnalysisState.WAITING, is_wanted=True)
    waiting.update(is_wanted=False, asked=now)
    return analysis_of(match)


def _is_recorded(match: Match) -> bool:
    recorded = Match.objects.filter(pk=match.pk, block__state=BlockState.RECORDED)
    return recorded.exclude(replay="").exists()


def _queue(match: Match, now: datetime, *, is_wanted: bool) -> Analysis | None:
    fresh = {
        "replay": match.replay,
        "method": METHOD,
        "software": "",
        "state": AnalysisState.WAITING,
        "is_wanted": is_wanted,
        "asked": now,
        "tries": 0,
        "lease_until": None,
        "trouble": "",
        "computed": None,
        "cpu_ms": 0,
        "data": None,
    }
    try:
        with transaction.atomic():
            Analysis.objects.update_or_create(match=match, defaults=fresh)
    except IntegrityError:  # another process queued it at the same moment, or the match is gone
        pass
    return analysis_of(match)


def content_of(analysis: Analysis) -> dict[str, Any]:
    """Return the result of an analysis, which has to be done."""
    assert analysis.data is not None
    found: dict[str, Any] = json.loads(decompress(bytes(analysis.data)))
    return found
