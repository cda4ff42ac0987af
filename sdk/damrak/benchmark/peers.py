"""Speed of other engines, driven like ours: from Python, at random; None if not installed.

An action is a decision of a player. Chance events are played, but not counted. OpenSpiel leaves
them to its driver, and the method matters: `PEERS` uses the standard library's weighted choice, as
most programs would, `TUNED_PEERS` a faster loop of our own.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any, Final

from damrak.benchmark.timing import Windows, rate

SEED: Final = 20_261_118
Outcomes = list[tuple[int, float]]
Draw = Callable[[Outcomes, random.Random], int]


def standard_draw(outcomes: Outcomes, rng: random.Random) -> int:
    """Return a random outcome according to the probabilities."""
    actions, probabilities = zip(*outcomes, strict=True)
    drawn: int = rng.choices(actions, probabilities)[0]
    return drawn


def tuned_draw(outcomes: Outcomes, rng: random.Random) -> int:
    """Return a random outcome without building lists."""
    lot = rng.random()
    for action, probability in outcomes:
        lot -= probability
        if lot < 0:
            return action
    return outcomes[-1][0]


def openspiel(game_name: str, windows: Windows, draw: Draw = standard_draw) -> float | None:
    """Return actions per second of an OpenSpiel game."""
    pyspiel = module_named("pyspiel")
    if pyspiel is None:
        return None
    game = pyspiel.load_game(game_name)
    rng = random.Random(SEED)
    chance = rng.random

    def play() -> int:
        state = game.new_initial_state()
        actions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(draw(state.chance_outcomes(), rng))
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(chance() * len(legal))])
                actions += 1
        return actions

    return rate(play, windows)


def rlcard(game_name: str, windows: Windows) -> float | None:
    """Return actions per second of an RLCard environment."""
    library = module_named("rlcard")
    if library is None:
        return None
    environment = library.make(game_name, config={"seed": SEED})
    chance = random.Random(SEED).random

    def play() -> int:
        state, _ = environment.reset()
        actions = 0
        while not environment.is_over():
            legal = list(state["legal_actions"])
            state, _ = environment.step(legal[int(chance() * len(legal))])
            actions += 1
        return actions

    return rate(play, windows)


def module_named(name: str) -> Any:
    """Return a module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


PEERS: Final[dict[str, Callable[[Windows], float | None]]] = {
    "openspiel_gin_rummy": lambda windows: openspiel("gin_rummy", windows),
    "openspiel_hearts": lambda windows: openspiel("hearts", windows),
    "rlcard_gin_rummy": lambda windows: rlcard("gin-rummy", windows),
}
TUNED_PEERS: Final[dict[str, Callable[[Windows], float | None]]] = {
    "openspiel_gin_rummy": lambda windows: openspiel("gin_rummy", windows, tuned_draw),
    "openspiel_hearts": lambda windows: openspiel("hearts", windows, tuned_draw),
}
