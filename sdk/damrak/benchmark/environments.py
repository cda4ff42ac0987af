"""Speed of our environments: the vector environment, and those of one game.

Figures are steps, or decisions of a learner, per second of processor time with random legal
actions; `threads` are per second of wall time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

from damrak.benchmark.timing import Windows, rate
from damrak.env import speed
from damrak.env.vectorized.environment import vector
from damrak.env.vectorized.simulation import simulate
from damrak_engine.boards import load_board
from damrak_engine.rules import rules_for

SEED: Final = 20_261_118
TABLES: Final = 1024
MANY_TABLES: Final = 4096  # for threads
STEPS: Final = 10  # of all tables, between two looks at the clock
GAMES: Final = 2048  # of a simulation


def vector_steps(windows: Windows) -> float:
    """Return steps per second with observations and masks."""
    return _steps(windows)


def vector_bytes(windows: Windows) -> float:
    """Return the same with observations of bytes."""
    return _steps(windows, dtype="uint8")


def vector_bare(windows: Windows) -> float:
    """Return actions per second of whole games, without observations and masks."""
    rules = rules_for(load_board("amsterdam"), 2)
    seeds = iter(range(1 << 30))
    return rate(lambda: simulate(rules, GAMES, seed=next(seeds)).actions, windows)


def vector_threads(windows: Windows) -> dict[str, float]:
    """Return the highest steps per second of wall time with one thread and with two.

    They are measured in turns of a few milliseconds, and the best turn counts: other work on the
    machine often leaves no second core.
    """
    plays = {threads: _player(MANY_TABLES, threads=threads) for threads in (1, 2)}
    best = dict.fromkeys(plays, 0.0)
    end = time.perf_counter() + windows.number * windows.seconds
    while not all(best.values()) or time.perf_counter() < end:
        for threads, play in plays.items():
            began = time.perf_counter()
            done = play()
            best[threads] = max(best[threads], done / (time.perf_counter() - began))
    return {str(threads): speed for threads, speed in best.items()}


def _steps(windows: Windows, **given: Any) -> float:
    return rate(_player(TABLES, **given), windows)


def _player(tables: int, **given: Any) -> Callable[[], int]:
    """Return a function that plays some steps of new games and returns their number."""
    envs = vector(tables, **given)
    envs.reset(seed=SEED)

    def play() -> int:
        for _ in range(STEPS):
            envs.step(envs.random_actions())
        return STEPS * tables

    return play


def single(windows: Windows) -> dict[str, float]:
    """Return decisions per second of the environments of one game."""
    measured = {}
    for name, game in speed.loops("amsterdam").items():
        measured[name] = rate(_repeated(game), windows)
    return measured


def _repeated(game: speed.Game) -> Callable[[], int]:
    rng = Random(SEED)
    return lambda: game(rng)
