"""The PettingZoo parallel interface: all agents act at once, and one action counts.

PettingZoo has no type information, so its classes are untyped here.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from damrak.env.encode import Mask, Vector
from damrak.env.layout import LAYOUT
from damrak.env.table import OptionsGiven
from damrak.env.vectorized.environment import DamrakVectorEnv, RewardFunction
from damrak_engine.board import Board

Seen = dict[str, Vector | Mask]


class DamrakParallel(ParallelEnv):  # type: ignore[misc]
    """One game with an agent per seat. An agent whose mask is all zeros does not decide now.

    Its action is ignored and may be missing. Observations and actions are those of `DamrakAEC`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "damrak_v0",
        "observation": LAYOUT,
        "render_modes": [],
    }
    render_mode = None

    def __init__(
        self,
        board: str | Board = "amsterdam",
        players: int = 2,
        options: OptionsGiven = None,
        reward: str | RewardFunction = "place",
    ) -> None:
        super().__init__()
        self._envs = DamrakVectorEnv(
            1, board, players, reward=reward, options=options, autoreset_mode="Disabled"
        )
        self.rules, self.encoder = self._envs.rules, self._envs.encoder
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        size, actions = self.encoder.size, self.encoder.actions
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of this agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of the board's action ids, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """Deal a new game; a seed restarts the random numbers. `options` is ignored."""
        self._envs.reset(seed=seed)
        self.agents = self.possible_agents[:]
        seen = self._seen()
        return seen, self._infos(seen)

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Seen],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play the action of the agent that is to decide.

        Raises:
            IllegalAction: its action is not legal; nothing has changed.
            ValueError: its action is missing, or no game is in progress.
        """
        if not self.agents:
            raise ValueError("no game is in progress: call reset()")
        decides = self.possible_agents[self._envs.seats[0]]
        if decides not in actions:
            raise ValueError(f"the action of {decides} is missing")
        _, _, over, _, info = self._envs.step(np.array([int(actions[decides])]))
        agents, ended = self.agents, bool(over[0])
        seen = self._seen()
        infos = self._infos(seen)
        if ended:
            self.agents = []
            for seat, agent in enumerate(agents):
                infos[agent] |= {name: int(info[name][0, seat]) for name in ("place", "total")}
        rewards = dict(zip(agents, self._envs.seat_rewards[0].tolist(), strict=True))
        return seen, rewards, dict.fromkeys(agents, ended), dict.fromkeys(agents, False), infos

    def render(self) -> None:
        """Do nothing, because no render mode exists."""

    def close(self) -> None:
        """Release the game."""
        self._envs.close()

    def _seen(self) -> dict[str, Seen]:
        seen: dict[str, Seen] = {}
        for seat, agent in enumerate(self.possible_agents):
            vector = np.empty((1, self.encoder.size), np.float32)
            mask = np.empty((1, self.encoder.actions), np.int8)
            self._envs.view(seat, vector, mask)
            seen[agent] = {"observation": vector[0], "action_mask": mask[0]}
        return seen

    def _infos(self, seen: dict[str, Seen]) -> dict[str, dict[str, Any]]:
        return {agent: {"action_mask": it["action_mask"]} for agent, it in seen.items()}
