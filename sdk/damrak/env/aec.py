"""The PettingZoo environment: every seat is an agent, and one agent decides at a time.

PettingZoo has no type information, so its classes are untyped here.
"""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from damrak.env.encode import Mask, Vector, encoder_for
from damrak.env.layout import LAYOUT
from damrak.env.rewards import reward_named
from damrak.env.table import OptionsGiven, Table
from damrak.env.text import describe
from damrak_engine.board import Board
from damrak_engine.observation import observe


def aec_env(
    board: str | Board = "amsterdam",
    players: int = 2,
    options: OptionsGiven = None,
    render_mode: str | None = None,
    reward: str = "place",
) -> Any:
    """Return a checked environment, like those of PettingZoo's own factory functions.

    An illegal action ends the game: the agent that tried it gets -1 (-100 with the reward
    `margin`), the others 0.
    """
    env = DamrakAEC(board, players, options, render_mode, reward)
    wrapped = wrappers.TerminateIllegalWrapper(env, illegal_reward=reward_named(reward).illegal)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class DamrakAEC(AECEnv):  # type: ignore[misc]
    """The environment without PettingZoo's wrappers: twice as fast, but without their checks.

    An illegal action raises `damrak_engine.errors.IllegalAction` and changes nothing.
    """

    agent_selection: str
    metadata: ClassVar[dict[str, Any]] = {
        "name": "damrak_v0",
        "observation": LAYOUT,
        "render_modes": ["ansi", "human"],
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        board: str | Board = "amsterdam",
        players: int = 2,
        options: OptionsGiven = None,
        render_mode: str | None = None,
        reward: str = "place",
    ) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"no render mode {render_mode!r}; there are: ansi, human")
        self.render_mode = render_mode
        self._table = Table(board, players, options)
        self._reward = reward_named(reward)
        self.rules = self._table.rules
        self.encoder = encoder_for(self.rules)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
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
        """Return the space of `observe(agent)`, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of the board's action ids, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; a seed restarts the random numbers. `options` is ignored."""
        if seed is not None:
            self._table.seed(seed)
        self._state = self._table.deal()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {}
        for agent in self.agents:
            self.infos[agent] = {"action_mask": self.encoder.mask(0)}
        self._select(self._state.actor)
        self._skip_agent_selection = None
        self._show()

    def observe(self, agent: str) -> dict[str, Vector | Mask]:
        """Return the agent's observation and its action mask.

        The mask is all zeros unless the agent is the one to decide.
        """
        seat = self._seats[agent]
        state = self._state
        legal = state.legal_mask() if seat == state.actor else 0
        return {
            "observation": self.encoder.encode(observe(state, seat)),
            "action_mask": self.encoder.mask(legal),
        }

    def step(self, action: int | None) -> None:
        """Play the action of `agent_selection`; None removes an agent from a finished game.

        Raises:
            IllegalAction: the action is not legal; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} has to act: None is only for a game that is over")
        state = self._state
        seat = state.actor
        state.apply(int(action), self._table.dice)
        self.infos[agent] = {"action_mask": self.encoder.mask(0)}
        if state.is_over:
            self._finish()
            self.agent_selection = self.possible_agents[(seat + 1) % len(self.possible_agents)]
        else:
            self._select(state.actor)
        self._show()

    def render(self) -> str | None:
        """Return (ansi) or print (human) the position as the deciding agent sees it."""
        if self.render_mode is None:
            return None
        text = describe(observe(self._state, self._seats[self.agent_selection]))
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text)
        return None

    def close(self) -> None:
        """Do nothing, because the environment holds no resources."""

    def _select(self, seat: int) -> None:
        agent = self.possible_agents[seat]
        self.agent_selection = agent
        self.infos[agent] = {"action_mask": self.encoder.mask(self._state.legal_mask())}

    def _finish(self) -> None:
        result = self._table.result(self._state)
        rewards = self._reward.of(result)
        for agent, reward, row in zip(self.agents, rewards, result.seats, strict=True):
            self.rewards[agent] = reward
            self.terminations[agent] = True
            self.infos[agent] |= {"place": row.place, "total": row.total}
        self._accumulate_rewards()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
