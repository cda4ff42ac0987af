"""Matches worth an analysis before anybody asks: the surprises among the latest blocks."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from damrak_ladder.analyses.asking import ask
from damrak_ladder.analyses.models import Analysis
from damrak_ladder.matches.models import Block, BlockState, Match, Purpose
from damrak_ladder.standings.expectation import Expectation, expectations

PER_HOUR: Final = 12
LATEST: Final = 40  # blocks that are looked at
SURPRISE: Final = 1.0  # standard deviations; what is less is no news


def choose_notable(now: datetime) -> bool:
    """Queue the most surprising of the latest matches, if the hour has room; whether it has."""
    chosen = Analysis.objects.filter(is_wanted=False, asked__gt=now - timedelta(hours=1))
    if chosen.count() >= PER_HOUR:
        return False
    latest = Block.objects.filter(state=BlockState.RECORDED, purpose=Purpose.LADDER)
    blocks = list(latest.order_by("-pk").values_list("pk", flat=True)[:LATEST])
    seen = set(
        Analysis.objects.filter(match__block__in=blocks).values_list("match__block", flat=True)
    )
    surprises = [
        (max(said, key=lambda one: one.residual), block)
        for block, said in expectations([pk for pk in blocks if pk not in seen]).items()
    ]
    if not surprises:
        return False
    most, block = max(surprises, key=lambda found: (found[0].residual, found[1]))
    if most.residual < SURPRISE:
        return False
    match = _best_match(block, most)
    return match is not None and ask(match, now, is_wanted=False) is not None


def _best_match(block: int, most: Expectation) -> Match | None:
    """The match in which the surprising version came out best."""
    matches = Match.objects.filter(block=block, seats__version=most.version_id)
    order = matches.exclude(replay="").order_by(
        "seats__result__place", "-seats__result__points", "number"
    )
    return order.select_related("block").first()
