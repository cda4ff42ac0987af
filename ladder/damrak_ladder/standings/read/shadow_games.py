"""The strength of a version estimated from its shadow games, without effects on others."""

from __future__ import annotations

from dataclasses import dataclass

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose, SeatResult
from damrak_ladder.ratings import Block as Played, History, Scale, rate
from damrak_ladder.standings.packed_blocks import Came, Outcome, outcome_of
from damrak_ladder.standings.read.estimates import estimates


@dataclass(frozen=True, slots=True)
class CanaryEstimate:
    """The strength of a version according to its shadow games, with a 95 % interval."""

    elo: float
    low: float
    high: float
    error: float
    blocks: int
    games: int


def canary_estimate(version: Version, ladder: Ladder) -> CanaryEstimate | None:
    """Fit the shadow blocks of a version on one ladder, with the strengths of all others fixed.

    Return None if there are no such blocks yet.
    """
    outcomes = shadow_outcomes(version, ladder)
    if not outcomes:
        return None
    players = sorted({one for outcome in outcomes for one in outcome.block.players})
    place = {player: at for at, player in enumerate(players)}
    known = estimates(ladder, [player for player in players if player != version.pk])
    history = History.of(
        Played(tuple(place[one] for one in outcome.block.players), outcome.block.games)
        for outcome in outcomes
    )
    scale = Scale({place[other]: one.elo for other, one in known.items()})
    ratings = rate(history, len(players), scale)
    at = place[version.pk]
    return CanaryEstimate(
        elo=float(ratings.elo[at]),
        low=float(ratings.low[at]),
        high=float(ratings.high[at]),
        error=float(ratings.error[at]),
        blocks=int(ratings.blocks[at]),
        games=int(ratings.games[at]),
    )


def shadow_outcomes(version: Version, ladder: Ladder) -> list[Outcome]:
    """Return the outcomes of the recorded shadow blocks of a version, in order of their keys."""
    blocks = Block.objects.filter(
        subject=version, ladder=ladder, purpose=Purpose.CANARY, state=BlockState.RECORDED
    )
    games: dict[int, dict[int, list[Came]]] = {}
    rows = SeatResult.objects.filter(seat__match__block__in=blocks).values_list(
        *("seat__match__block", "seat__match__number", "seat__version"),
        *("turn", "place", "points", "fault"),
    )
    for block, number, player, turn, place, points, fault in rows:
        came = Came(player, turn, place, points, bool(fault))
        games.setdefault(block, {}).setdefault(number, []).append(came)
    return [
        outcome_of(games[block][number] for number in sorted(games[block]))
        for block in sorted(games)
    ]
