"""Analysis of notable matches, which the front page names, without a request."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from damrak_ladder.analyses.method import METHOD
from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.analyses.requests import choose
from damrak_ladder.matches.models import Match
from damrak_ladder.standings.models import Notable

PER_HOUR: Final = 12


def choose_notable(now: datetime) -> bool:
    """Queue the newest notable match without an analysis; return whether there was one.

    The number per hour is limited. There are few notable matches at a time
    (`standings/counts/notable_games.py`).
    """
    chosen = Analysis.objects.filter(is_wanted=False, asked__gt=now - timedelta(hours=1))
    if chosen.count() >= PER_HOUR:
        return False
    known = Analysis.objects.filter(method=METHOD)
    # A match that waits because it was requested is moved ahead.
    requested = known.filter(state=AnalysisState.WAITING, is_wanted=True)
    known = known.exclude(pk__in=requested.values("pk"))
    found = Notable.objects.exclude(match__in=known.values("match")).order_by("-at", "-pk").first()
    if found is None:
        return False
    return choose(Match.objects.get(pk=found.match_id), now) is not None
