"""Speed of our engine, in the build that this process has imported."""

from __future__ import annotations

import random
import time
import tracemalloc
from typing import Any, Final

from damrak.benchmark.timing import Windows, rate
from damrak_engine import scoring
from damrak_engine.boards import load_board
from damrak_engine.build import is_native
from damrak_engine.deal import new_game
from damrak_engine.dice import SEED_BYTES, QuickDice, SeedDice
from damrak_engine.effects import Ask
from damrak_engine.events import Event
from damrak_engine.match import Match
from damrak_engine.observation import observe
from damrak_engine.options import DEFAULTS
from damrak_engine.replay import Played, Player, record, to_bytes
from damrak_engine.rules import rules_for
from damrak_engine.state import State, rollout
from damrak_engine.verify import verify

SEED: Final = 20_261_118
SAMPLES: Final = 400  # number of positions from random games
REPLAYS: Final = 40
RULES: Final = rules_for(load_board("amsterdam"), 2)


def measure(windows: Windows) -> dict[str, Any]:
    """Return all measurements of this build."""
    return {
        "is_compiled": is_native(),
        "rollout": round(rollouts(windows)),
        "python_loop": round(python_loop(windows)),
        "copy_us": round(1e6 / copies(windows), 4),
        "observe_us": round(1e6 / observations(windows), 4),
        "decide_us": round(1e6 / decisions(windows), 4),
        "verify_per_s": round(verifications(windows), 1),
        "state_bytes": state_bytes(),
    }


def rollouts(windows: Windows) -> float:
    """Return actions per second with the loop in the engine."""
    rng = random.Random(SEED)
    dice = QuickDice(rng.random)

    def game() -> int:
        return rollout(new_game(RULES, dice), rng.random)

    return rate(game, windows)


def python_loop(windows: Windows) -> float:
    """Return actions per second when Python gets the legal ids, chooses one and applies it."""
    rng = random.Random(SEED)
    chance = rng.random
    dice = QuickDice(chance)

    def game() -> int:
        state = new_game(RULES, dice)
        actions = 0
        while not state.is_over:
            legal = state.legal_actions()
            state.apply(legal[int(chance() * len(legal))], dice)
            actions += 1
        return actions

    return rate(game, windows)


def copies(windows: Windows) -> float:
    """Return copies of a state per second."""
    states = positions()

    def all_of_them() -> int:
        for state in states:
            state.copy()
        return len(states)

    return rate(all_of_them, windows)


def observations(windows: Windows) -> float:
    """Return observations per second, for the seat to move."""
    pairs = [(state, state.actor) for state in positions()]

    def all_of_them() -> int:
        for state, seat in pairs:
            observe(state, seat)
        return len(pairs)

    return rate(all_of_them, windows)


def decisions(windows: Windows) -> float:
    """Return decisions per second of the arbiter, including events and the next question."""
    rng = random.Random(SEED)

    def match() -> int:
        match = Match(RULES, SeedDice(rng.randbytes(SEED_BYTES)))
        effects = match.begin(0)
        number = 0
        while not match.is_over:
            questions = [effect for effect in effects if isinstance(effect, Ask)]
            for ask in questions:
                action = ask.legal[int(rng.random() * len(ask.legal))]
                effects = match.decided(ask.seat, ask.decision, action, number)
                number += 1
        return number

    return rate(match, windows)


def verifications(windows: Windows) -> float:
    """Return verified replays per second."""
    files = [replay_file(number) for number in range(REPLAYS)]

    def all_of_them() -> int:
        for file in files:
            verify(file)
        return len(files)

    return rate(all_of_them, windows)


def state_bytes() -> int:
    """Return the average memory of a state, over positions of random games."""
    states = positions()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    more = [state.copy() for state in states]
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return round(grown / len(more))


def positions() -> list[State]:
    """Return positions with a decision to make, from all phases of random games."""
    rng = random.Random(SEED)
    dice = QuickDice(rng.random)
    found: list[State] = []
    while len(found) < SAMPLES:
        state = new_game(RULES, dice)
        while not state.is_over:
            if rng.random() < 0.1:
                found.append(state.copy())
            state.apply(state.random_action(rng.random), dice)
    return found[:SAMPLES]


def replay_file(number: int) -> bytes:
    """Return the replay of a random game."""
    rng = random.Random(number)
    seed = rng.randbytes(32)
    dice = SeedDice(seed)
    log: list[Event] = []
    state = new_game(RULES, dice, log)
    while not state.is_over:
        state.apply(state.random_action(rng.random), dice)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    replay = record(
        board=RULES.board,
        options=DEFAULTS,
        seats=(Player("random", "", ""), Player("random", "", "")),
        seed=seed,
        events=log,
        result=scoring.result(state, dice),
        played=Played(now, now, "damrak", "benchmark"),
    )
    return to_bytes(replay)
