# ruff: noqa: T201 - an example prints to the terminal
"""Train a small network to imitate the house bot `planner`, with numpy alone.

python sdk/examples/train_network.py --save policy.npz

The file contains the weights of `damrak new --template numpy`. The games mix the decisions of
`planner` with random ones, so that the network also learns what to do after mistakes.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import numpy as np

from damrak.bots.planner import Planner
from damrak.env import LAYOUT, encoder_for
from damrak_engine.boards import load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import QuickDice
from damrak_engine.observation import observe
from damrak_engine.rules import rules_for

HIDDEN = 64
BATCH = 256
RATE = 0.002  # learning rate at the start; it falls linearly to 0
RANDOM = 0.1  # the share of random actions in the games

Arrays = dict[str, np.ndarray]


def collect(games: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return observations, masks and the choices of `planner` for all decisions of new games."""
    chance = random.Random(seed)  # noqa: S311 - games, not secrets
    dice = QuickDice(chance.random)
    rules = rules_for(load_board("amsterdam"), 2)
    encoder, planner = encoder_for(rules), Planner(rules)
    seen, masks, choices = [], [], []
    for _ in range(games):
        state = new_game(rules, dice)
        while not state.is_over:
            observation, legal = observe(state, state.actor), state.legal_mask()
            action = planner.decide(observation, legal)
            if legal & (legal - 1):  # more than one action
                seen.append(encoder.encode(observation).astype(np.float16))
                masks.append(encoder.mask(legal))
                choices.append(action)
            if chance.random() < RANDOM:
                action = chance.choice(np.flatnonzero(encoder.mask(legal)).tolist())
            state.apply(action, dice)
    return np.array(seen), np.array(masks), np.array(choices)


def logits(weights: Arrays, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of the hidden layer and a logit for each action."""
    hidden = np.maximum(seen @ weights["w1"] + weights["b1"], 0)
    return hidden, hidden @ weights["w2"] + weights["b2"]


def gradients(weights: Arrays, seen: np.ndarray, mask: np.ndarray, choice: np.ndarray) -> Arrays:
    """Return the gradients of the cross entropy between the network and the choices."""
    hidden, out = logits(weights, seen)
    out = np.where(mask == 1, out, -np.inf)
    odds = np.exp(out - out.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    odds[np.arange(len(choice)), choice] -= 1
    odds /= len(choice)
    back = odds @ weights["w2"].T * (hidden > 0)
    return {
        "w1": seen.T @ back,
        "b1": back.sum(axis=0),
        "w2": hidden.T @ odds,
        "b2": odds.sum(axis=0),
    }


def train(
    seen: np.ndarray, masks: np.ndarray, choices: np.ndarray, epochs: int, seed: int
) -> Arrays:
    """Return the weights after training by Adam; a tenth of the decisions measures progress."""
    rng = np.random.default_rng(seed)
    size, actions = seen.shape[1], masks.shape[1]
    weights: Arrays = {
        "w1": rng.normal(0, np.sqrt(2 / size), (size, HIDDEN)).astype(np.float32),
        "b1": np.zeros(HIDDEN, np.float32),
        "w2": rng.normal(0, np.sqrt(1 / HIDDEN), (HIDDEN, actions)).astype(np.float32),
        "b2": np.zeros(actions, np.float32),
    }
    mean = {name: np.zeros_like(array) for name, array in weights.items()}
    square = {name: np.zeros_like(array) for name, array in weights.items()}
    kept = len(seen) * 9 // 10
    updates, planned = 0, epochs * (kept // BATCH)
    for epoch in range(epochs):
        order = rng.permutation(kept)
        for first in range(0, kept - BATCH + 1, BATCH):
            rows = order[first : first + BATCH]
            found = gradients(weights, seen[rows].astype(np.float32), masks[rows], choices[rows])
            rate = RATE * (1 - updates / planned)
            updates += 1
            for name, gradient in found.items():
                mean[name] += 0.1 * (gradient - mean[name])
                square[name] += 0.001 * (gradient**2 - square[name])
                scale = np.sqrt(square[name] / (1 - 0.999**updates)) + 1e-8
                weights[name] -= rate * mean[name] / (1 - 0.9**updates) / scale
        print(f"epoch {epoch + 1}: agreement {agreement(weights, seen, masks, choices, kept):.3f}")
    return weights


def agreement(
    weights: Arrays, seen: np.ndarray, masks: np.ndarray, choices: np.ndarray, kept: int
) -> float:
    """Return the share of the decisions left out of training where the network agrees."""
    _, out = logits(weights, seen[kept:].astype(np.float32))
    best = np.where(masks[kept:] == 1, out, -np.inf).argmax(axis=1)
    return float((best == choices[kept:]).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a small network to imitate planner.")
    parser.add_argument("--games", type=int, default=8_000, help="to learn from")
    parser.add_argument("--epochs", type=int, default=16, help="passes over all decisions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="FILE", type=Path, default=Path("policy.npz"))
    given = parser.parse_args()
    began = time.process_time()
    seen, masks, choices = collect(given.games, given.seed)
    print(f"{len(seen)} decisions in {time.process_time() - began:.0f} s of processor time")
    weights = train(seen, masks, choices, given.epochs, given.seed)
    print(f"trained after {time.process_time() - began:.0f} s of processor time")
    halves = {name: array.astype(np.float16) for name, array in weights.items()}
    np.savez_compressed(given.save, layout=LAYOUT, **halves)  # type: ignore[arg-type]
    print(f"{given.save}: {given.save.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
