"""Imitation: games of `planner` as examples, which show a new network what contracts are for."""

from __future__ import annotations

import random
from typing import Final

import numpy as np

from damrak.bots.planner import Planner
from damrak.env.encode import encoder_for
from damrak.train.expert import Examples, learn
from damrak.train.network import Adam, Network
from damrak.train.worth import worth
from damrak_engine.deal import new_game
from damrak_engine.dice import QuickDice
from damrak_engine.observation import Observation, observe
from damrak_engine.rules import Rules
from damrak_engine.scoring import result

CHUNK: Final = 60_000  # decisions that are kept in memory at once
EPOCHS: Final = 3
RATE: Final = 1e-3
STRAY: Final = 0.05  # share of random actions, which lead to positions that planner avoids


def imitate(
    network: Network, adam: Adam, rules: Rules, decisions: int, seed: str
) -> tuple[int, int]:
    """Train the network on decisions of `planner`; return the number of decisions and games."""
    learned = games = 0
    rng = np.random.default_rng(random.Random(seed).getrandbits(64))
    while learned < decisions:
        found = planner_games(rules, min(CHUNK, decisions - learned), f"{seed} {learned}")
        learn(network, adam, found, EPOCHS, RATE, rng)
        learned += len(found.seen)
        games += found.games
    return learned, games


def planner_games(rules: Rules, decisions: int, seed: str) -> Examples:
    """Play games of `planner` until there are this many decisions among several actions.

    Some actions are random; the examples have the choice of `planner` instead.
    """
    planner, lots = Planner(rules), random.Random(seed)
    seen: list[Observation] = []
    legal: list[int] = []
    chosen: list[int] = []
    ends: list[float] = []
    games = 0
    while len(seen) < decisions:
        dice = QuickDice(lots.random)
        state, seats = new_game(rules, dice), []
        while not state.is_over:
            mask, observation = state.legal_mask(), observe(state, state.actor)
            action = planner.decide(observation, mask)
            if mask.bit_count() > 1:
                seen.append(observation)
                legal.append(mask)
                chosen.append(action)
                seats.append(state.actor)
                if lots.random() < STRAY:
                    action = lots.choice(state.legal_actions())
            state.apply(action, dice)
        ended = result(state, dice).seats
        totals, places = np.array([[it.total for it in ended]]), [[it.place for it in ended]]
        ends += worth(totals, np.array(places))[0, seats].tolist()
        games += 1
    encoder = encoder_for(rules)
    vectors = np.empty((len(seen), encoder.size), np.float32)
    encoder.encode_rows(seen, vectors)
    policy = np.zeros((len(seen), encoder.actions), np.bool_)
    policy[np.arange(len(seen)), chosen] = True
    masks = encoder.mask_rows(legal).view(np.bool_)
    return Examples(vectors, policy, masks, np.array(ends, np.float32), games)
