"""The gate between a network and its successor: a sequential test on mirrored blocks."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from damrak.env.vectorized.backend import games_for
from damrak.env.vectorized.plan import AS_SEATED, Autoreset, Plan, Reward, arrays_for
from damrak.train.network import Network
from damrak_engine.deal import new_game
from damrak_engine.dice import QuickDice
from damrak_engine.rules import Rules
from damrak_statistics.block_scores import Sprt, elo_estimate

TEST: Final = Sprt(0, 20)
BATCH: Final = 128  # blocks played at once


@dataclass(frozen=True, slots=True)
class Verdict:
    """The Elo difference of a candidate to the champion, and whether it takes its place."""

    blocks: int
    elo: float
    low: float
    high: float
    promoted: bool


def judge(candidate: Network, champion: Network, rules: Rules, seed: str, most: int) -> Verdict:
    """Play mirrored blocks until the test decides, or until there are this many.

    In the games of a block the same deal is played with the candidate in each seat in turn and the
    champion in all others. Both take their most probable actions.
    """
    scores: Counter[float] = Counter()
    verdict, number = None, 0
    duel = Duel(rules, min(BATCH, most))
    while verdict is None and scores.total() < most:
        scores.update(duel.scores(candidate, champion, f"{seed} {number}"))
        verdict, number = TEST.verdict(TEST.llr(scores)), number + 1
    estimate = elo_estimate(scores)
    return Verdict(
        scores.total(),
        round(estimate.value, 1),
        round(estimate.low, 1),
        round(estimate.high, 1),
        verdict == "H1",
    )


class Duel:
    """Blocks of games between two networks, side by side."""

    def __init__(self, rules: Rules, blocks: int) -> None:
        plan = Plan(
            rules=rules,
            rows=blocks * rules.seats,
            autoreset=Autoreset.NEVER,
            reward=Reward.CALLER,
            is_logged=False,
        )
        self._blocks = blocks
        self._rules = rules
        self._arrays = arrays_for(plan)
        self._games = games_for(plan, self._arrays)

    def scores(self, candidate: Network, champion: Network, seed: str) -> list[float]:
        """Return the candidate's share of comparisons won in each block."""
        rules, blocks, it, games = self._rules, self._blocks, self._arrays, self._games
        dice = QuickDice(random.Random(seed).random)
        games.set_up([new_game(rules, dice) for _ in range(blocks)], rules.seats)
        seats = np.repeat(np.arange(rules.seats), blocks)  # of the candidate
        while not games.is_waiting.all():
            is_alive = ~games.is_waiting
            it.select[:] = is_alive
            games.show(AS_SEATED, it.observations, it.masks, None)
            is_candidates = games.actor == seats
            for network, decides in ((candidate, is_candidates), (champion, ~is_candidates)):
                self._decide(network, np.flatnonzero(is_alive & decides))
            games.play()
        places = it.outcomes[:, :, 1]
        mine = places[np.arange(len(seats)), seats][:, None]
        won = (mine < places).sum(axis=1) + 0.5 * ((mine == places).sum(axis=1) - 1)
        shares: NDArray[np.float64] = (won / (rules.seats - 1)).reshape(rules.seats, blocks)
        return [float(share) for share in shares.mean(axis=0)]

    def _decide(self, network: Network, rows: NDArray[np.intp]) -> None:
        it = self._arrays
        if len(rows):
            assert it.observations is not None
            assert it.masks is not None
            it.actions[rows] = network.best(it.observations[rows], it.masks[rows])
