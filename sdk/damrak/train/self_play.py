"""Games of a policy against itself, and the advantage of each of its decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from damrak.env.vectorized.environment import DamrakVectorEnv, Finished
from damrak.train.network import Floats, Network
from damrak.train.worth import worth

DECAY: Final = 0.95
"""The decay of generalised advantage estimation."""

_ILLEGAL: Final = np.float32(-1e9)


def mixed_reward(finished: Finished) -> NDArray[np.float64]:
    """Return a reward that is half the result, half the lead in points."""
    return worth(finished.totals, finished.places)


@dataclass(frozen=True, slots=True)
class Experience:
    """Decisions among several legal actions, one row each."""

    seen: Floats
    masks: NDArray[np.bool_]
    actions: NDArray[np.int32]
    chances: Floats  # logarithms of the probabilities with which the actions were chosen
    advantages: Floats
    returns: Floats
    values: Floats
    games: int  # that ended meanwhile


class Recorder:
    """Plays a policy in all seats of many games, and records its decisions."""

    def __init__(self, games: int, steps: int, board: str, players: int, seed: int) -> None:
        self.envs = DamrakVectorEnv(games, board, players, reward=mixed_reward)
        self.envs.reset(seed=seed)
        self._rng = np.random.default_rng(seed)
        shape = (steps, games)
        self._seen = np.empty((*shape, self.envs.encoder.size), np.float32)
        self._masks = np.empty((*shape, self.envs.encoder.actions), np.bool_)
        self._actions = np.empty(shape, np.int32)
        self._chances = np.empty(shape, np.float32)
        self._values = np.empty(shape, np.float32)
        self._seats = np.empty(shape, np.int64)
        self._ends = np.empty(shape, np.bool_)
        self._rewards = np.empty((*shape, players), np.float32)

    def record(self, network: Network) -> Experience:
        """Continue all games by a fixed number of steps, and return their decisions."""
        envs = self.envs
        rows = np.arange(envs.num_envs)
        for at in range(len(self._seen)):
            self._seen[at], self._masks[at] = envs.observations, envs.masks
            self._seats[at] = envs.seats
            _, logits, self._values[at] = network.forward(self._seen[at])
            chances, _ = distribution(logits, self._masks[at])
            noise = self._rng.gumbel(size=chances.shape).astype(np.float32)
            actions = (chances + noise).argmax(axis=1).astype(np.int32)
            self._actions[at], self._chances[at] = actions, chances[rows, actions]
            self._ends[at] = envs.step(actions)[2]
            self._rewards[at] = envs.seat_rewards
        return self._experience(self._advantages(network))

    def _advantages(self, network: Network) -> Floats:
        """Return the advantage of each decision, going backwards over the decisions of each seat.

        A seat is rewarded when its game ends; until then, its next decision has the next value.
        """
        found = np.empty_like(self._values)
        following = self._last_values(network)
        later = np.zeros_like(following)
        reward = np.zeros_like(following)
        rows = np.arange(self.envs.num_envs)
        for at in reversed(range(len(found))):
            ended, seat = self._ends[at], self._seats[at]
            reward[ended], following[ended], later[ended] = self._rewards[at][ended], 0, 0
            surprise = reward[rows, seat] + following[rows, seat] - self._values[at]
            found[at] = surprise + DECAY * later[rows, seat]
            reward[rows, seat], following[rows, seat] = 0, self._values[at]
            later[rows, seat] = found[at]
        return found

    def _last_values(self, network: Network) -> Floats:
        """Return the value of the present position for every seat of every game."""
        envs = self.envs
        seen = np.empty_like(envs.observations)
        found = np.empty((envs.num_envs, envs.rules.seats), np.float32)
        for seat in range(envs.rules.seats):
            envs.view(seat, seen)
            found[:, seat] = network.forward(seen)[2]
        return found

    def _experience(self, advantages: Floats) -> Experience:
        chosen = self._masks.sum(axis=2) > 1  # with one legal action there is nothing to learn
        return Experience(
            seen=self._seen[chosen],
            masks=self._masks[chosen],
            actions=self._actions[chosen],
            chances=self._chances[chosen],
            advantages=advantages[chosen],
            returns=(advantages + self._values)[chosen],
            values=self._values[chosen],
            games=int(self._ends.sum()),
        )


def distribution(logits: Floats, masks: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the logarithms of the probabilities of legal actions, and the probabilities."""
    shifted = np.where(masks, logits, _ILLEGAL)
    shifted -= shifted.max(axis=1, keepdims=True)
    odds = np.exp(shifted)
    total = odds.sum(axis=1, keepdims=True)
    return shifted - np.log(total), odds / total
