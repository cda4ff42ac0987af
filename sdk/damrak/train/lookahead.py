"""Looking ahead with a network: what the game is worth after each of a few actions.

Every action is tried in the same worlds: states drawn from what the seat knows. The network then
plays a number of decisions for all seats, and values the position as the seat sees it. All worlds
and actions are rows of one batch, so that the network is asked for all of them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damrak.env.vectorized.backend import games_for
from damrak.env.vectorized.plan import AS_SEATED, Autoreset, Plan, Reward, arrays_for
from damrak.train.network import Floats, Network
from damrak.train.worth import worth
from damrak_engine.rules import Rules
from damrak_engine.state import State


class Lookahead:
    """Batches of games of one kind, reused for all decisions of a match."""

    def __init__(self, network: Network, rules: Rules, rows: int) -> None:
        self.network = network
        plan = Plan(
            rules=rules, rows=rows, autoreset=Autoreset.NEVER, reward=Reward.CALLER, is_logged=False
        )
        self._arrays = arrays_for(plan)
        self._games = games_for(plan, self._arrays)

    def values(
        self,
        worlds: Sequence[State],
        actions: Sequence[int],
        seat: int,
        depth: int,
        rng: np.random.Generator,
    ) -> Floats:
        """Return the value for this seat of each action (row) in each world (column)."""
        used = len(worlds) * len(actions)
        self._games.set_up(worlds, len(actions))
        it, games = self._arrays, self._games
        assert it.observations is not None
        assert it.masks is not None
        it.select.fill(0)
        it.select[:used] = 1
        it.actions[:used] = np.repeat(actions, len(worlds))
        games.play()
        for _ in range(depth):
            alive = np.flatnonzero(~games.is_waiting[:used])
            if not len(alive):
                break
            self._select(alive)
            games.show(AS_SEATED, it.observations, it.masks, None)
            it.actions[alive] = self._sampled(it.observations[alive], it.masks[alive], rng)
            games.play()
        ended = worth(it.outcomes[:used, :, 0], it.outcomes[:used, :, 1])
        found: Floats = ended[:, seat].astype(np.float32)
        alive = np.flatnonzero(~games.is_waiting[:used])
        if len(alive):
            self._select(alive)
            games.show(seat, it.observations, None, None)
            hidden = self.network.hidden(it.observations[alive])[-1]
            found[alive] = self.network.values(hidden)
        return found.reshape(len(actions), len(worlds))

    def _select(self, rows: NDArray[np.intp]) -> None:
        self._arrays.select.fill(0)
        self._arrays.select[rows] = 1

    def _sampled(self, seen: Floats, masks: Any, rng: np.random.Generator) -> NDArray[np.intp]:
        """Return a legal action for each row, drawn from the policy."""
        logits = self.network.logits(self.network.hidden(seen)[-1])
        logits -= logits.max(axis=1, keepdims=True)
        odds = np.cumsum(np.exp(logits, out=logits) * masks, axis=1)
        lots = rng.random((len(seen), 1), np.float32) * odds[:, -1:]
        chosen: NDArray[np.intp] = np.argmax(odds > lots, axis=1)
        return chosen
