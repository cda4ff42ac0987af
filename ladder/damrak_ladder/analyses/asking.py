"""Asking for the analysis of a match, and reading it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, transaction

from damrak_ladder.analyses.method import METHOD
from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.replays.compression import decompress

MOST_WAITING: Final = 200
"""Whoever opens a page when so many wait asks in vain, and may try later."""


def analysis_of(match: Match) -> Analysis | None:
    """What there is for this match as it stands: not of a replay or by a method that are gone."""
    return Analysis.objects.filter(match=match, replay=match.replay, method=METHOD).first()


def ask(match: Match, now: datetime, *, is_wanted: bool = True) -> Analysis | None:
    """Let the match be analysed, unless it has been or waits already; None if too many wait.

    The block has to be recorded: before that, its cards are a secret.
    """
    recorded = Match.objects.filter(pk=match.pk, block__state=BlockState.RECORDED)
    if not recorded.exclude(replay="").exists():
        return None
    found = analysis_of(match)
    if found is not None:
        if is_wanted and not found.is_wanted and found.state == AnalysisState.WAITING:
            Analysis.objects.filter(pk=found.pk).update(is_wanted=True)
        return found
    waiting = Analysis.objects.filter(state__in=(AnalysisState.WAITING, AnalysisState.RUNNING))
    if waiting.count() >= MOST_WAITING:
        return None
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
    except IntegrityError:  # somebody else asked at the same moment, or the match is gone
        pass
    return analysis_of(match)


def content_of(analysis: Analysis) -> dict[str, Any]:
    """What was found out; the analysis has to be done."""
    assert analysis.data is not None
    found: dict[str, Any] = json.loads(decompress(bytes(analysis.data)))
    return found
