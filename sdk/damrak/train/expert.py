"""Expert iteration: a network learns the choices of its own search, and how its games end."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from damrak.env.encode import encoder_for
from damrak.train.lookahead import Lookahead
from damrak.train.network import Adam, Floats, Network
from damrak.train.self_play import distribution
from damrak.train.worth import worth
from damrak_engine.deal import new_game
from damrak_engine.determinize import determinize
from damrak_engine.dice import QuickDice
from damrak_engine.observation import observe
from damrak_engine.rules import Rules
from damrak_engine.scoring import result
from damrak_engine.state import State

SHARPNESS: Final = 20.0  # of the improved policy: weight of a value beside the logarithmic prior
BATCH: Final = 512
EPOCHS: Final = 2
SEARCH_RATE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is searched for a decision."""

    worlds: int = 16
    width: int = 4  # actions, the most probable ones
    depth: int = 8  # decisions before the network values a position


@dataclass(frozen=True, slots=True)
class Examples:
    """Decisions with the policy to learn, and the worth of their games for the deciding seat."""

    seen: Floats
    policy: NDArray[Any]  # probabilities, or True for the one action to learn
    masks: NDArray[np.bool_]
    worth: Floats
    games: int


class Searcher:
    """Improves the policy of a network in a position by looking ahead."""

    def __init__(self, network: Network, rules: Rules, effort: Effort, seed: str) -> None:
        self._network = network
        self._effort = effort
        self._encoder = encoder_for(rules)
        self._ahead = Lookahead(network, rules, effort.worlds * effort.width)
        self._random = random.Random(seed)
        self._rng = np.random.default_rng(self._random.getrandbits(64))

    def improve(self, state: State) -> tuple[Floats, Floats, Floats]:
        """Return what the deciding seat sees, its legal actions, and the improved policy.

        The search uses only what this seat knows of the state.
        """
        seat, effort = state.actor, self._effort
        observation = observe(state, seat)
        seen = self._encoder.encode(observation)[None]
        mask = self._encoder.mask(state.legal_for(seat)).astype(np.float32)
        logs, odds = distribution(self._network.forward(seen)[1], mask[None] == 1)
        best = np.argsort(-odds[0])[: min(effort.width, int(mask.sum()))]
        worlds = [determinize(observation, self._random) for _ in range(effort.worlds)]
        values = self._ahead.values(worlds, best.tolist(), seat, effort.depth, self._rng)
        raised = logs[0, best] + SHARPNESS * values.mean(axis=1)
        improved = np.exp(raised - raised.max())
        policy = np.zeros_like(mask)
        policy[best] = improved / improved.sum()
        return seen[0], mask, policy

    def draw(self, policy: Floats) -> int:
        """Return an action with the probability that the policy gives it."""
        return int(np.argmax(np.cumsum(policy) > self._rng.random() * 0.999_999))

    def deal(self, rules: Rules) -> tuple[State, QuickDice]:
        """Return a new game with its chance."""
        dice = QuickDice(self._random.random)
        return new_game(rules, dice), dice


def search_games(network: Network, rules: Rules, games: int, effort: Effort, seed: str) -> Examples:
    """Play games in which every seat draws its actions from the improved policy."""
    searcher = Searcher(network, rules, effort, seed)
    seen: list[Floats] = []
    masks: list[Floats] = []
    policies: list[Floats] = []
    ends: list[Floats] = []
    for _ in range(games):
        state, dice = searcher.deal(rules)
        seats = []
        while not state.is_over:
            legal = state.legal_actions()
            action = legal[0]
            if len(legal) > 1:
                found = searcher.improve(state)
                for kept, array in zip((seen, masks, policies), found, strict=True):
                    kept.append(array)
                seats.append(state.actor)
                action = searcher.draw(found[2])
            state.apply(action, dice)
        ended = result(state, dice).seats
        totals, places = np.array([[it.total for it in ended]]), [[it.place for it in ended]]
        ends.append(worth(totals, np.array(places))[0, seats].astype(np.float32))
    return Examples(
        np.stack(seen), np.stack(policies), np.stack(masks) == 1, np.concatenate(ends), games
    )


def learn(
    network: Network,
    adam: Adam,
    examples: Examples,
    epochs: int,
    rate: float,
    rng: np.random.Generator,
) -> None:
    """Train the network on these examples, in place."""
    size = min(BATCH, len(examples.seen))
    for _ in range(epochs):
        order = rng.permutation(len(examples.seen))
        for first in range(0, len(order) - size + 1, size):
            rows = order[first : first + size]
            layers, logits, values = network.forward(examples.seen[rows])
            _, odds = distribution(logits, examples.masks[rows])
            gradient = ((odds - examples.policy[rows]) / size).astype(np.float32)
            error = (values - examples.worth[rows]) / np.float32(size)
            adam.update(network.weights, network.gradients(layers, gradient, error), rate)
