"""Durations of blocks, measured on the latest ones, and the pace of the hosts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from django.conf import settings
from django.db.models import Count, Exists, F, OuterRef

from damrak_ladder.matches.models import (
    Attempt,
    Block,
    BlockState,
    Host,
    HostState,
    Ladder,
    Match,
    Outcome,
)

LATEST: Final = 32
UNKNOWN_S: Final = 1.0
"""The duration of a game if none has been played yet."""

_SHORTEST_S: Final = 0.01


def seconds_per_game(ladders: Iterable[int | None]) -> dict[int | None, float]:
    """Return the mean time of a game on each of these ladders; None stands for no ladder."""
    return {ladder: _measured(ladder) for ladder in set(ladders)}


def games_per_second(games_a_minute: int | None) -> float:
    """Return the number of games that the trusted hosts play in a second, as measured.

    It respects this limit and the limit of the platform.
    """
    hosts = Host.objects.filter(state=HostState.TRUSTED).values_list("workers", flat=True)
    seconds = seconds_per_game([None])[None]
    limits = (games_a_minute, settings.DAMRAK_GAMES_PER_MINUTE)
    speeds = [limit / 60 for limit in limits if limit is not None]
    return min([max(1, sum(hosts)) / seconds, *speeds])


def seconds_per_block() -> float:
    """Return the mean time of the latest blocks of all kinds; infinite if none is known."""
    latest = Attempt.objects.order_by("-pk").values_list("started", "ended", "outcome")[:LATEST]
    took = [
        max(_SHORTEST_S, (ended - started).total_seconds())
        for started, ended, outcome in latest
        if outcome == Outcome.RECORDED and ended is not None
    ]
    return sum(took) / len(took) if took else math.inf


def ladders_with_blocks(ladders: Iterable[int]) -> list[int]:
    """Return those of these ladders on which a block has been recorded."""
    recorded = Block.objects.filter(ladder=OuterRef("pk"), state=BlockState.RECORDED)
    return list(
        Ladder.objects.filter(Exists(recorded), pk__in=ladders).values_list("pk", flat=True)
    )


def _measured(ladder: int | None) -> float:
    latest = Block.objects.filter(state=BlockState.RECORDED)
    latest = latest.filter(ladder=None) if ladder is None else latest.filter(ladder_id=ladder)
    # Two queries: a single one would count the games of all blocks ever played.
    blocks = list(latest.order_by(F("finished").desc()).values_list("pk", flat=True)[:LATEST])
    games = dict(
        Match.objects.filter(block__in=blocks).values_list("block_id").annotate(Count("pk"))
    )
    seconds = 0.0
    total = 0
    attempts = Attempt.objects.filter(block__in=blocks, outcome=Outcome.RECORDED)
    for block_id, started, ended in attempts.values_list("block_id", "started", "ended"):
        if ended is not None:
            seconds += max(0.0, (ended - started).total_seconds())
            total += games[block_id]
    return max(_SHORTEST_S, seconds / total) if total else UNKNOWN_S
