"""The probability of a chosen format to find the best entrant, and cheaper or better choices."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.tournaments.formats import Entrant, RulesError, StageRules, plan
from damrak_ladder.tournaments.formats.rules import MOST_BLOCKS
from damrak_ladder.tournaments.simulation.estimates import (
    MOST_ENTRANTS,
    Estimate,
    affordable_runs,
    estimate,
    rated_field,
    usual_stages,
)
from damrak_ladder.tournaments.simulation.games import Floats

RUNS: Final = 600
_FOR_TWO: Final = ("single-elimination", "double-elimination", "swiss", "round-robin", "culling")
_FOR_TABLES: Final = ("swiss-tables", "culling")
_CHEAPER: Final = 0.8
_EQUAL: Final = 0.01


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The estimate of the choice and, if there are any, of a cheaper and of a better one.

    The cheaper one is as good within the error of the simulation and takes at most 80 % of the
    games; the better one takes no more games. `minutes` is the time that the choice takes.
    """

    chosen: Estimate
    cheaper: Estimate | None
    better: Estimate | None
    minutes: float


def recommend(
    stages: Sequence[StageRules],
    ratings: Sequence[tuple[float, float]],
    *,
    players: Collection[int] = (),
    games_per_second: float = 1.0,
    runs: int = RUNS,
    seed: int = 1,
) -> Recommendation:
    """Returns what these stages achieve for entrants with these ratings, in the order of seeds.

    A rating is a mean and a standard deviation in Elo. `players` are the sizes of tables that other
    formats may have; by default those of the stages.

    Raises:
        RulesError: the stages do not fit the field.
    """
    if not 2 <= len(ratings) <= MOST_ENTRANTS:
        raise RulesError("entrants", codes.FieldSize(len(ratings), MOST_ENTRANTS))
    count = affordable_runs(len(ratings), runs)
    strengths = rated_field(ratings, count, np.random.default_rng(seed))
    chosen = estimate(stages, strengths, seed)
    sizes = set(players) or {stage.players for stage in stages}
    others = list(_others(stages, strengths, sizes, chosen.expected_games, seed))
    margin = max(_EQUAL, chosen.error)
    cheap = [
        it
        for it in others
        if it.best_wins >= chosen.best_wins - margin
        and it.expected_games <= _CHEAPER * chosen.expected_games
    ]
    good = [it for it in others if it.best_wins > chosen.best_wins + 2 * margin]
    return Recommendation(
        chosen,
        min(cheap, key=lambda it: (it.expected_games, -it.best_wins), default=None),
        max(good, key=lambda it: (it.best_wins, -it.expected_games), default=None),
        minutes=chosen.expected_games / max(games_per_second, 1e-9) / 60,
    )


def _others(
    stages: Sequence[StageRules],
    strengths: Floats,
    players: Collection[int],
    games: float,
    seed: int,
) -> Iterator[Estimate]:
    """Yields estimates of other formats that take at most this number of games."""
    if stages[-1].groups > 1:  # other formats have one winner
        return
    count = strengths.shape[1]
    entrants = [Entrant(at, at) for at in range(1, count + 1)]
    for size in sorted(players):
        for format_ in _FOR_TWO if size == 2 else _FOR_TABLES:
            [once] = usual_stages(format_, count, 1, players=size)
            each = plan(once, entrants).at_most_games
            most = min(MOST_BLOCKS, int(games / each)) if each else 0
            for blocks in sorted({most, most // 2, most // 4} - {0}):
                usual = usual_stages(format_, count, blocks, players=size)
                found = estimate(usual, strengths, seed)
                if found.expected_games <= games and usual != tuple(stages):
                    yield found
