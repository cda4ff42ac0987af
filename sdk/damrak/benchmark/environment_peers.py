"""Speed of environments of other libraries, each driven at random; None if not installed.

All write observation and legal actions of every decision where the learner finds them: OpenSpiel
as lists that a Python program turns into arrays, Pgx and PufferLib in batches.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any, Final

from damrak.benchmark.peers import Outcomes, module_named, standard_draw
from damrak.benchmark.timing import Windows, rate

SEED: Final = 20_261_118
TABLES: Final = 1024
STEPS: Final = 10
ONE_THREAD: Final = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
PUFFER_ENV: Final = "puffer_connect4"


def openspiel(game_name: str, windows: Windows) -> float | None:
    """Return actions per second of an OpenSpiel game, with information state and mask as arrays."""
    pyspiel = module_named("pyspiel")
    if pyspiel is None:
        return None
    import numpy as np

    game = pyspiel.load_game(game_name)
    rng = random.Random(SEED)
    chance = rng.random
    is_information = game.get_type().provides_information_state_tensor

    def play() -> int:
        state = game.new_initial_state()
        actions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes: Outcomes = state.chance_outcomes()
                state.apply_action(standard_draw(outcomes, rng))
                continue
            tensor = state.information_state_tensor if is_information else state.observation_tensor
            np.array(tensor(), np.float32)
            np.array(state.legal_actions_mask(), np.int8)
            legal = state.legal_actions()
            state.apply_action(legal[int(chance() * len(legal))])
            actions += 1
        return actions

    return rate(play, windows)


def pgx(game_name: str, windows: Windows) -> float | None:
    """Return steps per second of a Pgx game: a batch with automatic reset, on one thread."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip()
    library = module_named("pgx")
    if library is None:
        return None
    import jax
    import jax.numpy as jnp
    from pgx.experimental import auto_reset

    env = library.make(game_name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def some_steps(states: Any, key: Any) -> Any:
        def one(carry: Any, key: Any) -> Any:
            states, total = carry
            choices, chances = jax.random.split(key)
            logits = jnp.log(states.legal_action_mask.astype(jnp.float32))
            actions = jax.random.categorical(choices, logits, axis=-1)
            states = step(states, actions, jax.random.split(chances, TABLES))
            # Summed, so that the compiler cannot leave the observations out.
            return (states, total + states.observation.sum()), None

        keys = jax.random.split(key, STEPS)
        (states, total), _ = jax.lax.scan(one, (states, jnp.float32(0)), keys)
        return states, total

    steps = jax.jit(some_steps)
    key = jax.random.PRNGKey(SEED)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(key, TABLES))

    def play() -> int:
        nonlocal states, key
        key, here = jax.random.split(key)
        states, total = steps(states, here)
        total.block_until_ready()
        return STEPS * TABLES

    play()  # compiles
    return rate(play, windows)


def pufferlib(windows: Windows) -> float | None:
    """Return steps per second of one of PufferLib's own environments, with its random actions."""
    if module_named("pufferlib") is None:
        return None
    ocean = module_named("pufferlib.ocean")
    if ocean is None:
        return None
    import numpy as np

    envs = ocean.env_creator(PUFFER_ENV)(num_envs=TABLES)
    envs.reset(seed=SEED)
    chance = np.random.default_rng(SEED)
    number = envs.single_action_space.n
    actions = [chance.integers(number, size=TABLES, dtype=np.int32) for _ in range(64)]
    done = 0

    def play() -> int:
        nonlocal done
        for _ in range(STEPS):
            envs.step(actions[done % len(actions)])
            done += 1
        return STEPS * TABLES

    return rate(play, windows)


PEERS: Final[dict[str, Callable[[Windows], float | None]]] = {
    "openspiel_gin_rummy": lambda windows: openspiel("gin_rummy", windows),
    "openspiel_hearts": lambda windows: openspiel("hearts", windows),
    "pgx_leduc_holdem": lambda windows: pgx("leduc_holdem", windows),
    "pgx_kuhn_poker": lambda windows: pgx("kuhn_poker", windows),
    "pufferlib_connect4": pufferlib,
}
