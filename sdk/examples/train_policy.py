# ruff: noqa: T201 - an example prints to the terminal
"""Train a linear policy by policy gradient, with numpy alone, and measure what it has learned.

python sdk/examples/train_policy.py                     against the house bot `random`
python sdk/examples/train_policy.py --against greedy
python sdk/examples/train_policy.py --self-play         it learns in both seats (PettingZoo)
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field

import numpy as np

from damrak.env import DamrakAEC, DamrakEnv

HOUSE_BOTS = ("random", "greedy", "planner")
BATCH = 32  # games per update
STEP = 0.01  # learning rate
POINTS = 20.0  # margin in points that equals a reward of 1


@dataclass
class Decisions:
    """Observations, action masks, actions and returns of a batch of decisions."""

    seen: list[np.ndarray] = field(default_factory=list)
    masks: list[np.ndarray] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    returns: list[float] = field(default_factory=list)

    def add(self, seen: np.ndarray, mask: np.ndarray, action: int) -> None:
        self.seen.append(seen)
        self.masks.append(mask)
        self.actions.append(action)

    def end(self, margin: float) -> None:
        """Assign the reward of a finished game to all decisions that have none yet."""
        self.returns += [margin / POINTS] * (len(self.actions) - len(self.returns))


class LinearPolicy:
    """A policy whose logit for each action is a weighted sum of the observation plus a constant."""

    def __init__(self, size: int, actions: int, seed: int) -> None:
        self.weights = np.zeros((size, actions), np.float32)
        self.bias = np.zeros(actions, np.float32)
        self.value = np.zeros(size, np.float32)  # weights of the baseline: the expected return
        self.rng = np.random.default_rng(seed)
        learned = (self.weights, self.bias, self.value)
        self.moments = [np.zeros((2, *array.shape), np.float32) for array in learned]
        self.updates = 0

    def probabilities(self, seen: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return the probability of each action, 0 if illegal, for one observation or a batch."""
        logits = np.where(masks == 1, seen @ self.weights + self.bias, -np.inf)
        odds: np.ndarray = np.exp(logits - logits.max(axis=-1, keepdims=True))
        odds /= odds.sum(axis=-1, keepdims=True)
        return odds

    def choose(self, seen: np.ndarray, mask: np.ndarray) -> int:
        """Return a legal action, drawn from the policy."""
        upto = np.cumsum(self.probabilities(seen, mask))
        return int(np.searchsorted(upto, self.rng.random() * upto[-1], side="right"))

    def learn(self, batch: Decisions) -> None:
        """Make actions with better results than expected more likely (REINFORCE, steps by Adam)."""
        seen, masks = np.array(batch.seen), np.array(batch.masks)
        actions, returns = np.array(batch.actions), np.array(batch.returns, np.float32)
        surprise = returns - seen @ self.value
        better = (surprise - surprise.mean()) / (surprise.std() + 1e-6)
        towards = -self.probabilities(seen, masks)
        towards[np.arange(len(actions)), actions] += 1
        towards *= better[:, None] / len(seen)
        self.updates += 1
        self._step(self.weights, seen.T @ towards, self.moments[0])
        self._step(self.bias, towards.sum(axis=0), self.moments[1])
        self._step(self.value, surprise @ seen / len(seen), self.moments[2])

    def _step(self, weights: np.ndarray, gradient: np.ndarray, moments: np.ndarray) -> None:
        mean, square = moments
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        scale = np.sqrt(square / (1 - 0.999**self.updates)) + 1e-8
        weights += STEP * mean / (1 - 0.9**self.updates) / scale


def play_one_seat(env: DamrakEnv, policy: LinearPolicy, batch: Decisions) -> float:
    """Play a game against the environment's bots and return its reward."""
    seen, info = env.reset()
    over = False
    while not over:
        mask = info["action_mask"]
        action = policy.choose(seen, mask)
        batch.add(seen, mask, action)
        seen, reward, over, _, info = env.step(action)
    batch.end(reward)
    return reward


def play_all_seats(env: DamrakAEC, policy: LinearPolicy, batch: Decisions) -> None:
    """Play a game against itself, and collect the decisions of all seats."""
    games = {agent: Decisions() for agent in env.possible_agents}
    env.reset()
    for agent in env.agent_iter():
        shown, reward, over, _, _ = env.last()
        if over:
            games[agent].end(reward)
            env.step(None)
        else:
            seen, mask = shown["observation"], shown["action_mask"]
            action = policy.choose(seen, mask)
            games[agent].add(seen, mask, action)
            env.step(action)
    for game in games.values():
        for name, values in vars(game).items():
            getattr(batch, name).extend(values)


def score(policy: LinearPolicy, opponent: str, games: int) -> float:
    """Return the share of games won; a shared victory counts half."""
    env = DamrakEnv(opponents=(opponent,), reward="place")
    env.reset(seed=2)
    return 0.5 + sum(play_one_seat(env, policy, Decisions()) for _ in range(games)) / games / 2


def report(when: str, policy: LinearPolicy, games: int) -> None:
    scores = [f"{score(policy, bot, games):.3f} against {bot}" for bot in HOUSE_BOTS]
    print(f"{when}: scores {', '.join(scores)} ({games} games each)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a linear policy with numpy.")
    parser.add_argument("--games", type=int, default=10_000, help="to learn from")
    parser.add_argument("--test-games", type=int, default=400, help="to measure with")
    parser.add_argument("--against", default="random", help="a house bot")
    parser.add_argument("--self-play", action="store_true", help="learn in both seats")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="FILE", help="keep the weights, as .npz")
    given = parser.parse_args()

    all_seats = DamrakAEC(reward="margin")
    one_seat = DamrakEnv(opponents=(given.against,), reward="margin")
    all_seats.reset(seed=given.seed)
    one_seat.reset(seed=given.seed)
    encoder = one_seat.encoder
    policy = LinearPolicy(encoder.size, encoder.actions, given.seed)
    report("before", policy, given.test_games)
    began = time.process_time()
    for update in range(given.games // BATCH):
        batch = Decisions()
        for _ in range(BATCH):
            if given.self_play:
                play_all_seats(all_seats, policy, batch)
            else:
                play_one_seat(one_seat, policy, batch)
        policy.learn(batch)
        if update % 100 == 99:
            mean = np.mean(batch.returns) * POINTS
            print(f"{(update + 1) * BATCH:6} games, mean margin {mean:+.1f}", flush=True)
    print(f"trained for {time.process_time() - began:.0f} s of processor time")
    report("after", policy, given.test_games)
    if given.save:
        np.savez(given.save, weights=policy.weights, bias=policy.bias)


if __name__ == "__main__":
    main()
