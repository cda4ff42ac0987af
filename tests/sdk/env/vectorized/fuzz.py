"""Fuzz the vector environment on a native core: `python fuzz.py CORE STEPS SEED`.

Run it with a core built with AddressSanitizer, as `make sanitize` does: an access outside of the
arrays ends the process with a report.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from damrak.env.vectorized import native
from damrak.env.vectorized.environment import DamrakVectorEnv
from damrak.env.vectorized.selftest import configurations
from damrak_engine.errors import EngineError
from positions import scant_board, small_board

ODD_ACTIONS = (-1, 0, 7, 10, 11, 314, 315, 1 << 31, (1 << 63) - 1, -(1 << 63))
ODD_ARRAYS = (None, [], "x", 1.5, np.zeros(3), np.full(4, np.nan), [[0, 0, 0, 0]], [True] * 4)
FIELDS = ("pile_size", "discards", "floor", "undrawn", "turns", "passes", "phase", "actor")
LISTS = ("pile", "row", "hands", "known", "carts", "points", "goods", "owned")


def main(core: Path, steps: int, seed: int) -> None:
    """Play, interrupted by input that no program should send."""
    library = native.load(core)
    native.core = lambda: library  # type: ignore[assignment]
    rng = random.Random(seed)
    done = 0
    while done < steps:
        done += play(rng)
    sys.stdout.write(f"{done} steps\n")


def play(rng: random.Random) -> int:
    """Play some steps of one configuration."""
    configuration = rng.choice(configurations())
    board: Any = rng.choice([configuration.board, small_board(), scant_board()])
    opponents = rng.choice([None, "random", "greedy", lambda seen, masks: masks.argmax(1)])
    seats = configuration.seats
    rows = rng.choice([1, 2, 5])
    envs = DamrakVectorEnv(
        rows,
        board,
        seats,
        opponents,
        options=dict(configuration.options),
        dtype=rng.choice(["float32", "uint8"]),
        reward=rng.choice(["place", "margin"]),
        threads=rng.choice([1, 1, 2]),
        autoreset_mode=rng.choice(["SameStep", "NextStep"]),
    )
    envs.reset(seed=rng.getrandbits(64))
    for _ in range(100):
        pester(envs, rng)
        envs.step(envs.random_actions())
    envs.close()
    return 100 * rows


def pester(envs: DamrakVectorEnv, rng: random.Random) -> None:
    """Send one thing that is wrong, or load a state."""
    actions, rows = envs.random_actions().copy(), envs.num_envs
    kind = rng.randrange(6)
    try:
        if kind == 0:
            actions[rng.randrange(rows)] = rng.choice(ODD_ACTIONS)
            envs.step(actions)
        elif kind == 1:
            envs.step(rng.choice(ODD_ARRAYS))
        elif kind == 2:
            envs.load(rng.randrange(-1, 6), envs.state(rng.randrange(rows)))
        elif kind == 3:
            envs.load(0, spoiled(envs.state(0), rng))
        elif kind == 4:
            envs.copy(rng.randrange(rows), [rng.randrange(rows), rng.randrange(rows)])
        else:
            envs.view(rng.randrange(-1, 5), envs.observations.copy())
    except (EngineError, ValueError, TypeError):
        pass


def spoiled(state: Any, rng: random.Random) -> Any:
    """Return the state with one field changed to something odd."""
    value = rng.choice([-1, 0, 1, 5, 63, 64, 200, 255, 1 << 20, (1 << 60) + 3])
    if rng.random() < 0.5:
        name = rng.choice(LISTS)
        values = list(getattr(state, name))
        values[rng.randrange(len(values))] = value
        setattr(state, name, values)
    else:
        name = rng.choice(FIELDS)
        setattr(state, name, (value,) * 2 if name == "floor" else value)
    state.legal = -1
    return state


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
