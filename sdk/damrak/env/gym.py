"""The Gymnasium environment: one seat for the learner, bots in all the others."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from damrak.env.encode import Mask, Vector, encoder_for
from damrak.env.layout import LAYOUT
from damrak.env.opponents import Opponent, OpponentGiven, maker_of
from damrak.env.rewards import reward_named
from damrak.env.table import OptionsGiven, Table
from damrak.env.text import describe
from damrak_engine.board import Board
from damrak_engine.errors import IllegalAction
from damrak_engine.observation import observe
from damrak_engine.state import State

ENV_ID = "Damrak-v0"


def register() -> None:
    """Register `gymnasium.make("Damrak-v0", ...)`; idempotent."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(ENV_ID, entry_point="damrak.env.gym:DamrakEnv")


class DamrakEnv(gymnasium.Env[Vector, np.int64]):
    """A game against `opponents`, seated clockwise from the learner and created for each game.

    `seat` is the learner's seat, or `"random"` for a random one in every game. An illegal action
    ends the game with the reward -1 (-100 with `margin`) and the reason in `info["illegal"]`. The
    legal actions are in `info["action_mask"]` and returned by `action_masks()`.

    Raises:
        ValueError: there is no such house bot, seat, reward or render mode.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium has it per instance
        "name": "damrak_v0",
        "observation": LAYOUT,
        "render_modes": ["ansi", "human"],
        "render_fps": 4,
    }

    def __init__(
        self,
        board: str | Board = "amsterdam",
        opponents: Sequence[OpponentGiven] = ("greedy",),
        seat: int | Literal["random"] = "random",
        options: OptionsGiven = None,
        reward: str = "place",
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"no render mode {render_mode!r}; there are: ansi, human")
        self.render_mode = render_mode
        self._makers = [maker_of(given) for given in opponents]
        self._table = Table(board, 1 + len(self._makers), options)
        self._reward = reward_named(reward)
        self.rules = self._table.rules
        if seat != "random" and seat not in range(self.rules.seats):
            raise ValueError(f"there is no seat {seat!r} at a table of {self.rules.seats}")
        self._seat_given = seat
        self.seat = 0
        self.encoder = encoder_for(self.rules)
        self.observation_space = spaces.Box(0, 1, (self.encoder.size,), np.float32)
        self.action_space = spaces.Discrete(self.encoder.actions)
        self._state: State | None = None
        self._is_playing = False
        self._opponents: dict[int, Opponent] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Deal a new game and let the opponents play until the learner decides."""
        super().reset(seed=seed)
        table = self._table
        if seed is not None:
            table.seed(seed)
        seats = self.rules.seats
        given = self._seat_given
        self.seat = table.random.randrange(seats) if given == "random" else given
        self._state = state = table.deal(log=[])
        self._is_playing = True
        self._opponents = {}
        for i, make in enumerate(self._makers, start=1):
            seat = (self.seat + i) % seats
            self._opponents[seat] = Opponent(make(), state, seat, table.random.getrandbits(64))
        self._let_others_play(state)
        return self._shown(state), {"action_mask": self.action_masks()}

    def step(
        self, action: int | np.integer[Any]
    ) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the opponents' up to the next decision or the end.

        Raises:
            ResetNeeded: no game is in progress.
        """
        state = self._state
        if state is None or not self._is_playing:
            raise ResetNeeded("no game is going on: call reset()")
        reward = 0.0
        outcome: dict[str, Any] = {}
        try:
            state.apply(int(action), self._table.dice)
        except IllegalAction as illegal:
            self._is_playing = False
            reward, outcome = self._reward.illegal, {"illegal": illegal.reason}
        else:
            self._let_others_play(state)
            if state.is_over:
                reward, outcome = self._finish(state)
        info = {"action_mask": self.action_masks(), **outcome}
        return self._shown(state), reward, not self._is_playing, False, info

    def action_masks(self) -> Mask:
        """Return the legal actions as ones among zeros; all zeros if no game is in progress."""
        if self._state is None or not self._is_playing:
            return self.encoder.mask(0)
        return self.encoder.mask(self._state.legal_mask())

    def render(self) -> str | None:
        """Return (ansi) or print (human) the position as the learner sees it."""
        if self.render_mode is None or self._state is None:
            return None
        text = describe(observe(self._state, self.seat))
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text)
        return None

    def _shown(self, state: State) -> Vector:
        if self.render_mode == "human":
            self.render()
        return self.encoder.encode(observe(state, self.seat))

    def _let_others_play(self, state: State) -> None:
        while state.actor not in (self.seat, -1):
            state.apply(self._opponents[state.actor].decide(state), self._table.dice)

    def _finish(self, state: State) -> tuple[float, dict[str, Any]]:
        self._is_playing = False
        result = self._table.result(state)
        for opponent in self._opponents.values():
            opponent.finish(result)
        row = result.seats[self.seat]
        return self._reward.of(result)[self.seat], {"place": row.place, "total": row.total}
