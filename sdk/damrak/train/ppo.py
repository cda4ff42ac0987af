"""Proximal policy optimisation: the loop that trains a policy by self-play."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from damrak.train.network import Adam, Floats, Network
from damrak.train.self_play import Experience, Recorder, distribution

CLIP: Final = 0.2  # the greatest relative change of a probability that is rewarded
ENTROPY: Final = 0.01  # how strongly variety is rewarded
EPOCHS: Final = 2
BATCH: Final = 4096
RATE: Final = 1e-3  # the learning rate at the start; it falls linearly
LAST_RATE: Final = 0.05  # the part of it at the end


@dataclass(frozen=True, slots=True)
class Training:
    """What to train, and for how long."""

    board: str = "amsterdam"
    players: int = 2
    seconds: float | None = 600.0
    decisions: int | None = None
    """The number of decisions to learn from, instead of a time: then equal seeds give equal
    weights on the same machine."""
    hidden: int = 256
    games: int = 256  # side by side
    steps: int = 128  # of each game between two updates
    seed: int = 1

    def share(self, seconds: float, decisions: int) -> float:
        """Return the part of the training that is over, from 0 to 1."""
        parts = []
        if self.seconds is not None:
            parts.append(seconds / self.seconds)
        if self.decisions is not None:
            parts.append(decisions / self.decisions)
        return min(1.0, max(parts, default=0.0))


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a training after an iteration."""

    iteration: int
    seconds: float
    decisions: int
    games: int
    entropy: float
    explained: float
    """The part of the variance of the returns that the value explains."""
    share: float
    """The part of the training that is over, from 0 to 1."""


def train(training: Training, network: Network | None = None) -> Iterator[tuple[Network, Progress]]:
    """Yield the network and the progress after every iteration, to the end of the training.

    The network is the same object each time. A given network is trained further.
    """
    recorder = Recorder(
        training.games, training.steps, training.board, training.players, training.seed
    )
    rng = np.random.default_rng(training.seed)
    encoder = recorder.envs.encoder
    if network is None:
        network = Network.fresh(encoder.size, (training.hidden,), encoder.actions, rng)
    adam, began = Adam(), time.monotonic()
    decisions = games = iteration = 0
    share = 0.0
    while share < 1:
        found = recorder.record(network)
        rate = RATE * max(LAST_RATE, 1 - share)
        entropy = improve(network, adam, found, rate, rng)
        iteration += 1
        decisions += training.games * training.steps
        games += found.games
        spent = time.monotonic() - began
        share = training.share(spent, decisions)
        unexplained = np.var(found.returns - found.values) / max(1e-9, np.var(found.returns))
        explained = 1 - float(unexplained)
        yield (
            network,
            Progress(iteration, spent, decisions, games, entropy, explained, share),
        )


def improve(
    network: Network, adam: Adam, found: Experience, rate: float, rng: np.random.Generator
) -> float:
    """Update the network with these decisions; return the mean entropy of its choices."""
    advantages = (found.advantages - found.advantages.mean()) / (found.advantages.std() + 1e-6)
    entropies = []
    size = min(BATCH, len(advantages))
    for _ in range(EPOCHS):
        order = rng.permutation(len(advantages))
        for first in range(0, len(order) - size + 1, size):
            rows = order[first : first + size]
            entropies.append(_update(network, adam, found, rows, advantages[rows], rate))
    return float(np.mean(entropies))


def _update(
    network: Network,
    adam: Adam,
    found: Experience,
    rows: NDArray[np.int64],
    advantages: Floats,
    rate: float,
) -> float:
    seen, actions, number = found.seen[rows], found.actions[rows], len(rows)
    layers, logits, values = network.forward(seen)
    chances, odds = distribution(logits, found.masks[rows])
    each = np.arange(number)
    ratio = np.exp(chances[each, actions] - found.chances[rows])
    is_clipped = np.where(advantages > 0, ratio > 1 + CLIP, ratio < 1 - CLIP)
    pull: Floats = (np.where(is_clipped, 0, -advantages * ratio) / number).astype(np.float32)
    gradient: Floats = -odds * pull[:, None]
    gradient[each, actions] += pull
    logarithms = np.where(found.masks[rows], chances, 0)
    entropy = -(odds * logarithms).sum(axis=1)
    gradient += np.float32(ENTROPY / number) * odds * (logarithms + entropy[:, None])
    error = (values - found.returns[rows]) / np.float32(number)
    adam.update(network.weights, network.gradients(layers, gradient, error), rate)
    return float(entropy.mean())
