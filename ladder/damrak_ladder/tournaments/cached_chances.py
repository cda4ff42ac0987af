"""Cached chances to win after each round of a stage, and the winner once it is known."""

from __future__ import annotations

import hashlib
from typing import Final

from django.core.cache import cache

from damrak_ladder.tournaments.chances import Forecast, following, forecast
from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.log.state import Stage
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Tournament

_KEPT_SECONDS: Final = 7 * 24 * 3600


def forecasts(tournament: Tournament, seen: Disclosed, stage: Stage) -> list[Forecast]:
    """Return the forecasts of a stage, each of which follows from the rounds before it."""
    return [_forecast(tournament, seen, stage, number) for number in range(seen.played(stage) + 1)]


def winner_of(seen: Disclosed, stage: Stage) -> int | None:
    """Return the first of a stage, or of the last that follows, once the results are final."""
    if seen.state.phase is not Phase.FINAL:
        return None
    after = following(stage, seen.state.rules.stages)
    last = seen.state.stages.get(after[-1]) if after else stage
    rows = () if last is None else seen.table(last)
    first = [row.number for row in rows if row.place == 1]
    return first[0] if len(first) == 1 else None


def _forecast(tournament: Tournament, seen: Disclosed, stage: Stage, rounds: int) -> Forecast:
    results = seen.course.played(stage)[:rounds]
    still_in = [number for number in stage.entrants if seen.state.is_in(number)]
    paired = [made.pairings for made in stage.rounds[: rounds + 1]]
    facts = (tournament.pk, stage.number, results, still_in, paired)
    key = "chances-2-" + hashlib.sha256(repr(facts).encode()).hexdigest()
    known: dict[int, float] | None = cache.get(key)
    if known is None:
        known = dict(forecast(tournament, seen, stage, rounds).chances)
        cache.set(key, known, _KEPT_SECONDS)
    return Forecast(rounds, known)
