"""The adapter for PufferLib: the same games, written into PufferLib's buffers.

PufferLib has no place for action masks, so a row is the observation as bytes, followed by the mask:
`observations[:, :size]` and `observations[:, size:]`. Its own `masks` tell which agents are alive.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pufferlib
from gymnasium import spaces

from damrak.env.vectorized.environment import DamrakVectorEnv
from damrak.env.vectorized.plan import Array


class DamrakPuffer(pufferlib.PufferEnv):  # type: ignore[misc]
    """One learner in each of `num_envs` games, against opponents; other arguments as in `vector`.

    `size` is the number of elements of the observation before the mask begins.
    """

    def __init__(
        self,
        buf: Any = None,
        seed: int = 0,
        num_envs: int = 1024,
        opponents: Any = "greedy",
        **given: Any,
    ) -> None:
        # A first environment without buffers provides the sizes from which PufferLib makes its own.
        probe = DamrakVectorEnv(1, opponents=opponents, dtype="uint8", **given)
        self.size, actions = probe.encoder.size, probe.encoder.actions
        probe.close()
        seen = probe.single_observation_space
        assert isinstance(seen, spaces.Box)
        high = np.append(seen.high, np.ones(actions, np.uint8))
        self.single_observation_space = spaces.Box(np.zeros_like(high), high, dtype=np.uint8)
        self.single_action_space = spaces.Discrete(actions)
        self.num_agents = num_envs
        super().__init__(buf)
        self._seed = seed
        self._envs = DamrakVectorEnv(
            num_envs,
            opponents=opponents,
            dtype="uint8",
            buffers={
                "observations": self.observations[:, : self.size],
                "masks": self.observations[:, self.size :],
                "rewards": self.rewards,
                "terminals": self.terminals,
                "truncations": self.truncations,
            },
            **given,
        )

    def reset(self, seed: int | None = None) -> tuple[Array, list[dict[str, float]]]:
        """Deal new games in all rows."""
        self._envs.reset(seed=self._seed if seed is None else seed)
        return self.observations, []

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, list[dict[str, float]]]:
        """Play one action in every row; finished games are summarised in the last value."""
        learners = self._envs.seats.copy()
        *_, info = self._envs.step(np.asarray(actions).reshape(-1))
        infos = []
        rows = np.flatnonzero(self.terminals)
        if len(rows):
            places, totals = (
                info["place"][rows, learners[rows]],
                info["total"][rows, learners[rows]],
            )
            infos = [{"place": float(places.mean()), "total": float(totals.mean())}]
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def close(self) -> None:
        """End the threads."""
        self._envs.close()
