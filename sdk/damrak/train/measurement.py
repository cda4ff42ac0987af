"""Strength of a policy: a quick estimate during training, and Elo at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from damrak.env.vectorized.environment import vector
from damrak.series import SeriesPlan, play_series
from damrak.specs import parse_spec
from damrak.standing import Standing
from damrak.train.network import Network

RIVAL: Final = "greedy"
"""The house bot of the progress curve; it is built into the environment."""

_SEED: Final = 99


def share_won(network: Network, players: int, games: int, rival: str = RIVAL) -> float:
    """Return the mean share of opponents beaten in games against this house bot.

    The policy takes its most probable action. The games are the same at every call.
    """
    envs = vector(games, players=players, opponents=rival)
    envs.reset(seed=_SEED)
    rewards = np.zeros(games)
    is_over = np.zeros(games, bool)
    while not is_over.all():
        _, reward, ended, _, _ = envs.step(network.best(envs.observations, envs.masks))
        rewards[ended & ~is_over] = reward[ended & ~is_over]
        is_over |= ended
    envs.close()
    return float(rewards.mean() + 1) / 2


@dataclass(frozen=True, slots=True)
class Strength:
    """The result of mirrored blocks against a house bot, as `damrak play` reports it."""

    opponent: str
    games: int
    wins: int
    shared: int
    elo: float
    low: float
    high: float
    faults: int


def strengths(
    folder: Path, players: int, opponents: tuple[str, ...], blocks: int, processes: int
) -> Iterator[Strength]:
    """Yield the Elo difference between the bot in this folder and each of these house bots."""
    for opponent in opponents:
        bots = (parse_spec(str(folder)), *[parse_spec(opponent)] * (players - 1))
        plan = SeriesPlan(bots=bots, blocks=blocks, seed="train")
        standing = Standing(plan.names)
        for block in play_series(plan, processes):
            standing.add(block)
        tally, estimate = standing.tallies[0], standing.elo(0)
        assert estimate is not None
        faults = sum(tally.faults.values())
        yield Strength(
            opponent,
            tally.games,
            tally.wins,
            tally.shared,
            round(estimate.value, 1),
            round(estimate.low, 1),
            round(estimate.high, 1),
            faults,
        )
