"""Cached chances to win after each round of a stage, and the winner once it is known."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Final

from django.core.cache import cache

from damrak_ladder.tournaments.chances import (
    Forecast,
    following,
    forecast,
    forecast_rounds,
    is_by_group,
)
from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.formats.schedules import snake
from damrak_ladder.tournaments.log.course import field_of
from damrak_ladder.tournaments.log.state import Stage
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Tournament

_KEPT_SECONDS: Final = 7 * 24 * 3600


def forecasts(tournament: Tournament, seen: Disclosed, stage: Stage) -> list[Forecast]:
    """Return the forecasts of a stage, each of which follows from the rounds before it."""
    rounds = forecast_rounds(seen.played(stage), len(stage.entrants))
    return [_forecast(tournament, seen, stage, number) for number in rounds]


def groups_of(seen: Disclosed, stage: Stage) -> dict[int, int]:
    """Return the group of each entrant if its chance is that of winning it, otherwise nothing."""
    if not is_by_group(stage, seen.state.rules.stages):
        return {}
    groups = snake(field_of(seen.state, stage), stage.plan.rules.groups)
    return {one.number: at for at, group in enumerate(groups) for one in group}


def equal_score(seen: Disclosed, stage: Stage) -> float:
    """Return the Brier score of equal chances: 1 - 1/n, or its mean over the groups."""
    sizes = Counter(groups_of(seen, stage).values()).values() or [len(stage.entrants)]
    return sum(1 - 1 / size for size in sizes) / len(sizes)


def winners_of(seen: Disclosed, stage: Stage) -> tuple[int, ...]:
    """Return the first of a stage, or of the last that follows, once the results are final.

    They are the firsts of all groups if the chances are those of winning a group. If a first place
    is shared, the answer is empty.
    """
    if seen.state.phase is not Phase.FINAL:
        return ()
    plans = seen.state.rules.stages
    after = following(stage, plans)
    last = seen.state.stages.get(after[-1]) if after else stage
    rows = () if last is None else seen.table(last)
    first = [row.number for row in rows if row.place == 1]
    expected = stage.plan.rules.groups if is_by_group(stage, plans) else 1
    return tuple(first) if len(first) == expected else ()


def _forecast(tournament: Tournament, seen: Disclosed, stage: Stage, rounds: int) -> Forecast:
    results = seen.course.played(stage)[:rounds]
    still_in = [number for number in stage.entrants if seen.state.is_in(number)]
    paired = [made.pairings for made in stage.rounds[: rounds + 1]]
    facts = (tournament.pk, stage.number, results, still_in, paired)
    key = "chances-3-" + hashlib.sha256(repr(facts).encode()).hexdigest()
    known: dict[int, float] | None = cache.get(key)
    if known is None:
        known = dict(forecast(tournament, seen, stage, rounds).chances)
        cache.set(key, known, _KEPT_SECONDS)
    return Forecast(rounds, known)
