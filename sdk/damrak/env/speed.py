# ruff: noqa: T201 - this is run by hand, and prints
"""How fast the environments are here: `python -m damrak.env.speed`.

Every line is random legal play and counts decisions of the learner in a second of processor time:
where bots sit in the other seats, their thinking is part of it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

import gymnasium
import numpy as np

from damrak.env.aec import DamrakAEC, aec_env
from damrak.env.encode import Mask, encoder_for
from damrak.env.gym import ENV_ID, DamrakEnv, register
from damrak.env.table import Table
from damrak_engine import state
from damrak_engine.observation import observe

Game = Callable[[Random], int]


def engine_loop(table: Table) -> Game:
    """Return the fastest loop: engine, observation vector and action mask only."""
    encoder = encoder_for(table.rules)

    def game(rng: Random) -> int:
        state = table.deal()
        decisions = 0
        while not state.is_over:
            encoder.encode(observe(state, state.actor))
            state.apply(any_of(encoder.mask(state.legal_mask()), rng), table.dice)
            decisions += 1
        return decisions

    return game


def aec_loop(env: Any) -> Game:
    """Return the loop of the PettingZoo documentation."""

    def game(rng: Random) -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            shown, _, over, _, _ = env.last()
            env.step(None if over else any_of(shown["action_mask"], rng))
            decisions += not over
        return decisions

    return game


def gym_loop(env: gymnasium.Env[Any, Any]) -> Game:
    """Return the loop of the Gymnasium documentation."""

    def game(rng: Random) -> int:
        _, info = env.reset()
        decisions = 0
        over = False
        while not over:
            _, _, over, _, info = env.step(any_of(info["action_mask"], rng))
            decisions += 1
        return decisions

    return game


def any_of(mask: Mask, rng: Random) -> int:
    """Return a random legal action."""
    legal = np.flatnonzero(mask)
    return int(legal[int(rng.random() * len(legal))])


def loops(board: str) -> dict[str, Game]:
    """Return all measured loops by name."""
    register()
    bots: Final = ("random", "greedy", "planner")
    return {
        "engine and encoder": engine_loop(Table(board, 2, None)),
        "DamrakAEC": aec_loop(DamrakAEC(board)),
        "aec_env, with PettingZoo's wrappers": aec_loop(aec_env(board)),
        **{f"DamrakEnv against {bot}": gym_loop(DamrakEnv(board, (bot,))) for bot in bots},
        f"{ENV_ID} by gymnasium.make against random": gym_loop(
            gymnasium.make(ENV_ID, board=board, opponents=("random",))
        ),
    }


def main() -> None:
    """Measure all loops and print a table."""
    parser = argparse.ArgumentParser(prog="python -m damrak.env.speed", description=__doc__)
    parser.add_argument("--board", default="amsterdam")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each line")
    given = parser.parse_args()
    native = not (state.__file__ or "").endswith(".py")
    print(f"{given.board}, 2 players, engine {'compiled' if native else 'interpreted'}")
    for name, game in loops(given.board).items():
        rng = Random(1)
        game(rng)
        decisions = 0
        began = time.process_time()
        while (spent := time.process_time() - began) < given.seconds:
            decisions += game(rng)
        print(f"{name:46} {decisions / spent:8,.0f} decisions/s")


if __name__ == "__main__":
    main()
