"""The vector environment: many games side by side, written into the same arrays at every step."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from damrak.env.encode import encoder_for
from damrak.env.layout import LAYOUT
from damrak.env.table import OptionsGiven, rules_given
from damrak.env.vectorized.backend import games_for
from damrak.env.vectorized.conversion import Replayed, checked_state
from damrak.env.vectorized.outside import Given, Outside, entrants_of
from damrak.env.vectorized.plan import (
    ALL_SEATS,
    AS_SEATED,
    RANDOM_SEAT,
    Array,
    Autoreset,
    Control,
    Plan,
    Reward,
    arrays_for,
    check_buffers,
)
from damrak_engine.board import Board
from damrak_engine.errors import IllegalAction
from damrak_engine.legal import why_not
from damrak_engine.rules import Rules
from damrak_engine.state import State

AUTORESET: Final = {
    AutoresetMode.SAME_STEP: Autoreset.SAME_STEP,
    AutoresetMode.NEXT_STEP: Autoreset.NEXT_STEP,
    AutoresetMode.DISABLED: Autoreset.NEVER,
}
DTYPES: Final[dict[str, type[np.float32] | type[np.uint8]]] = {
    "float32": np.float32,
    "uint8": np.uint8,
}
MOST_ENVS: Final = 1 << 20
MOST_THREADS: Final = 256


@dataclass(frozen=True, slots=True)
class Finished:
    """Games that ended in a step, for a reward function: one row per game, one column per seat."""

    rows: Array
    totals: Array
    places: Array
    route_points: Array
    contract_points: Array
    goods_points: Array
    fulfilled: Array


RewardFunction = Callable[[Finished], Any]
"""A function that returns the reward of every seat in these games, in the shape of `totals`."""


def vector(
    num_envs: int = 1024,
    board: str | Board = "amsterdam",
    players: int = 2,
    opponents: Given | Sequence[Given] | None = None,
    seat: int | Literal["random"] = "random",
    reward: str | RewardFunction = "place",
    dtype: Literal["float32", "uint8"] = "float32",
    buffers: Mapping[str, Any] | None = None,
    threads: int = 1,
    *,
    options: OptionsGiven = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
) -> DamrakVectorEnv:
    """Return an environment of `num_envs` games side by side.

    Without `opponents` every seat learns: each row is a game, seen by the seat that is to decide.
    With opponents, each row is a game of one learner in the seat `seat`; opponents are seated
    clockwise from it. Each is `"random"` or `"greedy"`, which are built in, another house bot, a
    class derived from `Bot`, or a policy: a function of observations and masks that returns an
    action for each row.

    Raises:
        ValueError: an argument is invalid; the message names it.
    """
    return DamrakVectorEnv(
        num_envs,
        board,
        players,
        opponents,
        seat,
        reward,
        dtype,
        buffers,
        threads,
        options=options,
        autoreset_mode=autoreset_mode,
    )


class DamrakVectorEnv(VectorEnv[Array, Array, Array]):
    """Games side by side. All arrays belong to the environment and are overwritten by each step.

    The arrays are `observations`, `masks`, `rewards`, `terminals`, `truncations`, `seats` (the
    seat that observes) and `seat_rewards` (of every seat, at the end of a game). `vector`
    explains the arguments.
    """

    def __init__(
        self,
        num_envs: int = 1024,
        board: str | Board = "amsterdam",
        players: int = 2,
        opponents: Given | Sequence[Given] | None = None,
        seat: int | Literal["random"] = "random",
        reward: str | RewardFunction = "place",
        dtype: str = "float32",
        buffers: Mapping[str, Any] | None = None,
        threads: int = 1,
        *,
        options: OptionsGiven = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        self.num_envs = _whole("num_envs", num_envs, 1, MOST_ENVS)
        self.rules = _rules(board, _whole("players", players, 2, 4), options)
        self.encoder = encoder_for(self.rules)
        entrants = entrants_of(opponents, self.rules.seats)
        mode, learner = _mode(autoreset_mode), _learner(seat, self.rules.seats)
        kind = _reward(reward)
        self._reward_function = reward if callable(reward) else None
        self._plan = Plan(
            rules=self.rules,
            rows=self.num_envs,
            learner=learner if entrants else ALL_SEATS,
            control=(Control.LEARNER, *[it.control for it in entrants]) if entrants else (),
            autoreset=AUTORESET[mode],
            reward=kind,
            dtype=_dtype(dtype, self.rules),
            threads=_whole("threads", threads, 1, MOST_THREADS),
        )
        self.metadata = {"name": "damrak_v0", "observation": LAYOUT, "autoreset_mode": mode}
        self._arrays = arrays_for(self._plan, buffers)
        self._set_spaces()
        self._games = games_for(self._plan, self._arrays)
        is_outside = any(it.control == Control.OUTSIDE for it in entrants)
        self._outside = Outside(self._games, entrants) if is_outside else None
        self._busy = threading.Lock()
        self._is_ready = False

    def _set_spaces(self) -> None:
        it = self._arrays
        assert it.observations is not None
        assert it.masks is not None
        self.observations, self.masks, self.seats = it.observations, it.masks, it.seats
        self.rewards, self.seat_rewards = it.rewards, it.seat_rewards
        self.terminals, self.truncations = it.terminals, it.truncations
        size, actions, dtype = self.encoder.size, self.encoder.actions, self._plan.dtype
        high = np.ones(size, dtype)
        if dtype is np.uint8:
            high[size - len(self.encoder.greatest) :] = self.encoder.greatest
        self.single_observation_space = spaces.Box(np.zeros(size, dtype), high, dtype=dtype)
        self.single_action_space = spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def is_native(self) -> bool:
        """Whether the games are played by the native core; otherwise by the engine, slower."""
        return self._games.is_native

    # ---- Gymnasium --------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal new games in all rows, or in those of the boolean array `options["reset_mask"]`.

        One seed, or a seed per row, restarts the random numbers.
        """
        with self._alone():
            rows = self._rows_to_reset(options)
            seeds = self._seeds(seed)
            if not self._is_ready and not rows.all():
                raise ValueError("the first reset is of all rows")
            if seeds is not None:
                self._arrays.seeds[rows] = seeds[rows]
                self._games.restart(rows)
                if self._outside is not None:
                    self._outside.forget(rows)
            self._is_ready = False
            it = self._arrays
            it.select[:] = rows
            for array in (it.rewards, it.seat_rewards, it.terminals):
                array[rows] = 0
            it.truncations.fill(0)
            self._games.deal()
            self._let_others_play()
            it.select[:] = rows
            self._games.show(AS_SEATED, it.observations, it.masks, it.seats)
            self._is_ready = True
            return self.observations, self._info()

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Play one action in every row, and all that follows up to the next decision.

        Raises:
            IllegalAction: an action is not legal in its row; nothing has changed.
            ValueError: the actions have the wrong shape or type; nothing has changed.
        """
        with self._alone():
            self._take(actions)
            it = self._arrays
            it.truncations.fill(0)
            decided = it.seats.copy() if self._reward_function is not None else None
            if self._outside is None:
                self._games.step()
            else:
                self._is_ready = False
                self._step_with_others(self._outside)
                self._is_ready = True
            if decided is not None:
                self._reward(decided)
            return self.observations, self.rewards, self.terminals, self.truncations, self._info()

    def close_extras(self, **_: Any) -> None:
        """End the threads."""
        self._games.close()

    def action_masks(self) -> Array:
        """Return the legal actions of each row as ones among zeros."""
        return self.masks

    def random_actions(self) -> Array:
        """Return a random legal action for each row, in an array that the next call overwrites."""
        with self._alone():
            self._check_ready()
            self._games.choose()
            return self._arrays.actions

    def view(self, seat: int, observations: Array, masks: Array | None = None) -> None:
        """Write what this seat sees in every game; masks of seats that do not decide are zero."""
        with self._alone():
            self._check_ready()
            if seat not in range(self.rules.seats):
                raise ValueError(f"there is no seat {seat!r} at a table of {self.rules.seats}")
            given = {"observations": observations} | ({} if masks is None else {"masks": masks})
            check_buffers(self._plan, given)
            self._arrays.select.fill(1)
            self._games.show(seat, observations, masks, None)

    # ---- states -----------------------------------------------------------------------------

    def state(self, row: int) -> State:
        """Return the game in this row as a state of the engine."""
        with self._alone():
            self._check_ready()
            return Replayed(self._games, self._row(row)).advance()

    def states(self) -> list[State]:
        """Return the games in all rows as states of the engine."""
        return [self.state(row) for row in range(self.num_envs)]

    def load(self, rows: int | Sequence[int], state: State, seat: int | None = None) -> None:
        """Continue from a state of the engine in these rows, each with chance of its own.

        `seat` is the learner's seat; by default it does not change.

        Raises:
            ValueError: the state belongs to another game, is over, or contradicts itself.
        """
        with self._alone():
            self._check_ready()
            chosen = [self._row(row) for row in ([rows] if isinstance(rows, int) else rows)]
            state = checked_state(self.rules, state)
            if seat is not None:
                if self._plan.learner == ALL_SEATS:
                    raise ValueError("every seat learns here: seat must be None")
                _learner(seat, self.rules.seats)
            it = self._arrays
            self._is_ready = False
            self._games.load(chosen, state, seat)
            it.select.fill(0)
            it.select[chosen] = 1
            self._games.resume()
            self._let_others_play()
            it.select.fill(0)
            it.select[chosen] = 1
            self._games.show(AS_SEATED, it.observations, it.masks, it.seats)
            self._is_ready = True

    def copy(self, source: int, rows: int | Sequence[int]) -> None:
        """Continue the game of one row in others, each with chance of its own."""
        state = self.state(source)
        self.load(rows, state, int(self._games.learner[source]) if self._plan.control else None)

    # ---- internals --------------------------------------------------------------------------

    def _let_others_play(self) -> None:
        if self._outside is not None:
            self._outside.play()

    def _step_with_others(self, outside: Outside) -> None:
        games, it = self._games, self._arrays
        ended = games.is_waiting.copy()
        for array in (it.rewards, it.seat_rewards, it.terminals):
            array.fill(0)
        it.select[:] = ~ended
        games.play()
        if ended.any():
            it.select[:] = ended
            games.deal()
        outside.play()
        ended = games.is_waiting.copy()
        if self._plan.autoreset == Autoreset.SAME_STEP and ended.any():
            it.select[:] = ended
            games.show(AS_SEATED, it.final_observations, None, None)
            games.deal()
            outside.play()
        it.select.fill(1)
        games.show(AS_SEATED, it.observations, it.masks, it.seats)

    def _reward(self, decided: Array) -> None:
        assert self._reward_function is not None
        it = self._arrays
        rows = np.flatnonzero(it.terminals)
        if not len(rows):
            return
        columns = [it.outcomes[rows, :, i].copy() for i in range(it.outcomes.shape[2])]
        total, place, *others = columns
        given = np.asarray(self._reward_function(Finished(rows, total, place, *others)), np.float32)
        if given.shape != total.shape:
            problem = f"must return an array of shape {total.shape}, not {given.shape}"
            raise ValueError(f"the reward function {problem}")
        it.seat_rewards[rows] = given
        it.rewards[rows] = given[np.arange(len(rows)), decided[rows]]

    def _info(self) -> dict[str, Any]:
        it = self._arrays
        info = {"action_mask": it.masks, "seat": it.seats, "seat_rewards": it.seat_rewards}
        if it.terminals.any():
            ended = it.terminals.astype(np.bool_)
            for name, column in (("total", 0), ("place", 1)):
                info |= {name: it.outcomes[:, :, column], f"_{name}": ended}
            if it.final_observations is not None:
                info |= {"final_obs": it.final_observations, "_final_obs": ended}
        return info

    def _take(self, actions: Any) -> None:
        self._check_ready()
        given = np.asarray(actions)
        if given.shape != (self.num_envs,):
            raise ValueError(f"actions must have the shape ({self.num_envs},), not {given.shape}")
        if given.dtype.kind not in "iu":
            raise ValueError(f"actions must be whole numbers, not {given.dtype}")
        np.copyto(self._arrays.actions, given, casting="unsafe")
        row = self._games.check()
        if row >= 0:
            raise self._illegal(row, int(self._arrays.actions[row]))

    def _illegal(self, row: int, action: int) -> IllegalAction:
        state = Replayed(self._games, row).advance()
        if state.is_over:
            return IllegalAction(action, f"the game in row {row} is over: reset it")
        return IllegalAction(action, f"row {row}: {why_not(state, action)}")

    def _row(self, row: int) -> int:
        return _whole("row", row, 0, self.num_envs - 1)

    def _rows_to_reset(self, options: dict[str, Any] | None) -> Array:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise ValueError("reset_mask must be a numpy array of booleans")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask must have the shape ({self.num_envs},), not {mask.shape}")
        return mask

    def _seeds(self, seed: int | Sequence[int] | None) -> Array | None:
        if seed is None:
            if self._is_ready or self._arrays.seeds.any():
                return None
            seed = secrets.randbits(63) | 1
        seeds = [seed] * self.num_envs if isinstance(seed, int | np.integer) else list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"expected a seed or {self.num_envs} of them, not {len(seeds)}")
        return np.array([_whole("seed", it, 0, (1 << 64) - 1) for it in seeds], np.uint64)

    def _check_ready(self) -> None:
        if not self._is_ready:
            raise ValueError("no games are in progress: call reset()")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if self.closed:
            raise ValueError("the environment is closed")
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the environment is in use by another thread")
        try:
            yield
        finally:
            self._busy.release()


def _rules(board: str | Board, players: int, options: OptionsGiven) -> Rules:
    try:
        rules = rules_given(board, players, options)
    except KeyError as error:
        raise ValueError(error.args[0]) from None
    first = rules.options.first_player
    if first.startswith("seat ") and int(first.removeprefix("seat ")) >= players:
        raise ValueError(f"option first_player: there is no {first} at a table of {players}")
    return rules


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value}")
    return int(value)


def _learner(seat: Any, seats: int) -> int:
    if seat == "random":
        return RANDOM_SEAT
    is_whole = isinstance(seat, int | np.integer) and not isinstance(seat, bool)
    if not is_whole or seat not in range(seats):
        raise ValueError(f"there is no seat {seat!r} at a table of {seats}")
    return int(seat)


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        names = ", ".join(mode.value for mode in AutoresetMode)
        raise ValueError(f"no autoreset mode {given!r}; there are: {names}") from None


def _reward(given: str | RewardFunction) -> Reward:
    if callable(given):
        return Reward.CALLER
    rewards = {"place": Reward.PLACE, "margin": Reward.MARGIN}
    if given not in rewards:
        raise ValueError(f"no reward {given!r}; there are: {', '.join(rewards)}, or a function")
    return rewards[given]


def _dtype(given: Any, rules: Rules) -> type[np.float32] | type[np.uint8]:
    try:
        name = np.dtype(given).name
    except TypeError:
        name = ""
    if name not in DTYPES:
        raise ValueError(f"no dtype {given!r}; there are: {', '.join(DTYPES)}")
    greatest = int(encoder_for(rules).greatest.max())
    if name == "uint8" and greatest > 255:
        problem = f"counts on the board {rules.board.id} go up to {greatest}"
        raise ValueError(f"dtype uint8 is too small: {problem}; use float32")
    return DTYPES[name]
