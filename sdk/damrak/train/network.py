"""A small network with a policy and a value, its gradients, and Adam; in numpy alone."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from damrak.atomic import write_atomically
from damrak.env.layout import LAYOUT

Floats = NDArray[np.float32]
Weights = dict[str, Floats]

CLIPPED: Final = 0.5  # the greatest norm of a gradient
_MEAN, _SQUARE = 0.9, 0.99  # decay of Adam's moments


class Network:
    """Hidden layers, with a logit for every action and the expected return of the seat.

    The arrays `w1`, `b1`, `w2`, … are the layers of the policy in order, under the names that the
    template `numpy` of `damrak new` reads. `wv` and `bv` give the value of the last hidden layer.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.depth = sum(name.startswith("w") for name in weights) - 2  # hidden layers
        self.size = len(weights["w1"])
        self.actions = weights[f"w{self.depth + 1}"].shape[1]

    @classmethod
    def fresh(
        cls, size: int, hidden: Sequence[int], actions: int, rng: np.random.Generator
    ) -> Network:
        """Return a network with random weights, whose policy is almost uniform."""

        def normal(rows: int, columns: int, gain: float) -> Floats:
            return rng.normal(0, gain / np.sqrt(rows), (rows, columns)).astype(np.float32)

        weights: Weights = {}
        for i, (rows, columns) in enumerate(pairwise((size, *hidden)), 1):
            weights[f"w{i}"] = normal(rows, columns, np.sqrt(2))
            weights[f"b{i}"] = np.zeros(columns, np.float32)
        last = len(hidden) + 1
        weights[f"w{last}"] = normal(hidden[-1], actions, 0.01)
        weights[f"b{last}"] = np.zeros(actions, np.float32)
        weights["wv"] = normal(hidden[-1], 1, 0.1)
        weights["bv"] = np.zeros(1, np.float32)
        return cls(weights)

    def hidden(self, seen: Floats) -> list[Floats]:
        """Return the observations and the hidden layers of a batch."""
        layers = [seen]
        for i in range(1, self.depth + 1):
            layer = layers[-1] @ self.weights[f"w{i}"]
            layer += self.weights[f"b{i}"]
            layers.append(np.maximum(layer, 0, out=layer))
        return layers

    def logits(self, hidden: Floats) -> Floats:
        """Return the logits of all actions from the last hidden layer."""
        last = self.depth + 1
        return hidden @ self.weights[f"w{last}"] + self.weights[f"b{last}"]

    def values(self, hidden: Floats) -> Floats:
        """Return the expected returns from the last hidden layer."""
        return (hidden @ self.weights["wv"] + self.weights["bv"])[:, 0]

    def forward(self, seen: Floats) -> tuple[list[Floats], Floats, Floats]:
        """Return the layers, the logits and the values of a batch of observations."""
        layers = self.hidden(seen)
        return layers, self.logits(layers[-1]), self.values(layers[-1])

    def gradients(self, layers: Sequence[Floats], logits: Floats, values: Floats) -> Weights:
        """Return the gradients of the weights from those of the logits and values."""
        it, last = self.weights, self.depth + 1
        found = {
            f"w{last}": layers[-1].T @ logits,
            f"b{last}": logits.sum(axis=0),
            "wv": layers[-1].T @ values[:, None],
            "bv": values.sum(keepdims=True),
        }
        back = logits @ it[f"w{last}"].T + values[:, None] * it["wv"][:, 0]
        for i in range(self.depth, 0, -1):
            back *= layers[i] > 0
            found |= {f"w{i}": layers[i - 1].T @ back, f"b{i}": back.sum(axis=0)}
            if i > 1:
                back = back @ it[f"w{i}"].T
        return found

    def best(self, seen: Floats, masks: NDArray[Any]) -> NDArray[np.int32]:
        """Return the legal action with the highest logit in each row."""
        logits = np.where(masks == 1, self.logits(self.hidden(seen)[-1]), -np.inf)
        chosen: NDArray[np.int32] = logits.argmax(axis=1).astype(np.int32)
        return chosen

    def copy(self) -> Network:
        """Return a network with weights of its own."""
        return Network({name: array.copy() for name, array in self.weights.items()})

    def save(self, path: Path, halved: bool = False) -> None:
        """Write the weights with the version of the observations; `halved` as 16-bit numbers.

        The file is replaced atomically.
        """
        kept = {
            name: array.astype(np.float16) if halved else array
            for name, array in self.weights.items()
            if not halved or not name.endswith("v")
        }
        file = io.BytesIO()
        np.savez_compressed(file, layout=LAYOUT, **kept)  # type: ignore[arg-type]
        write_atomically(path, file.getvalue())


@dataclass
class Adam:
    """Adam with clipped gradients; the moments of each array."""

    means: Weights = field(default_factory=dict)
    squares: Weights = field(default_factory=dict)
    updates: int = 0

    def arrays(self) -> Weights:
        """Return the moments by name, for a file."""
        means = {f"mean_{name}": array for name, array in self.means.items()}
        return means | {f"square_{name}": array for name, array in self.squares.items()}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> Adam:
        """Return the moments that were kept in a file, with the number of updates."""

        def kept(kind: str) -> Weights:
            found = {name: array for name, array in arrays.items() if name.startswith(kind)}
            return {name.removeprefix(kind): array for name, array in found.items()}

        return cls(kept("mean_"), kept("square_"), int(arrays["updates"]))

    def update(self, weights: Weights, gradients: Weights, rate: float) -> None:
        """Move the weights against their gradients, in place."""
        self.updates += 1
        norm = np.sqrt(sum(float((array * array).sum()) for array in gradients.values()))
        scale = np.float32(min(1.0, CLIPPED / (norm + 1e-8)))
        for name, gradient in gradients.items():
            clipped = gradient * scale
            mean = self.means.setdefault(name, np.zeros_like(clipped))
            square = self.squares.setdefault(name, np.zeros_like(clipped))
            mean += np.float32(1 - _MEAN) * (clipped - mean)
            square += np.float32(1 - _SQUARE) * (clipped * clipped - square)
            step = np.float32(rate / (1 - _MEAN**self.updates)) * mean
            spread = np.sqrt(square / np.float32(1 - _SQUARE**self.updates)) + np.float32(1e-8)
            weights[name] -= step / spread
