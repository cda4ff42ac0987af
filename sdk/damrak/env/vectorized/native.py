"""Games played by the native core, `core.c`, which has no access to Python.

All memory is allocated here, and the caller checks all input before the core sees it. ctypes
releases the interpreter lock during a call.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from ctypes import CDLL, addressof, c_int32, c_int64, c_void_p
from functools import cache, partial
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, Final

import numpy as np

from damrak.env.vectorized.chance import key_of
from damrak.env.vectorized.conversion import write_game
from damrak.env.vectorized.plan import ALL_SEATS, AS_SEATED, Array, Arrays, Plan
from damrak.env.vectorized.structures import SIZES, Batch, Game, tables_of
from damrak.env.vectorized.threads import Helpers
from damrak_engine.state import State

CACHE_LINE: Final = 64
FOLDER: Final = Path(__file__).parent
STEP, PLAY, DEAL, SHOW, CHOOSE, RESUME, CHECK, CHECK_PLAY = range(8)
_FIELDS: Final = {
    "phase": np.int8,
    "actor": np.int8,
    "learner": np.int8,
    "is_waiting": np.bool_,
    "draws": np.uint32,
    "deal": np.uint32,
    "logged": np.uint32,
}


class NoCore(RuntimeError):
    """The native core is missing or cannot be used; the message gives the reason."""


@cache
def core() -> CDLL:
    """Return the native core beside this module, loaded once.

    Raises:
        NoCore: it was not built, or from another source.
    """
    places = [FOLDER / f"_core{suffix}" for suffix in EXTENSION_SUFFIXES]
    path = next((place for place in places if place.exists()), None)
    if path is None:
        raise NoCore("the native core was not built")
    library = load(path)
    source = (FOLDER / "rules.h").read_bytes() + (FOLDER / "core.c").read_bytes()
    if library.damrak_source() != zlib.crc32(source):
        raise NoCore("the native core was built from another source")
    return library


def load(path: Path) -> CDLL:
    """Return a native core, ready for use.

    Raises:
        NoCore: it cannot be loaded, or has other structures.
    """
    try:
        library = CDLL(str(path))
        library.damrak_sizes.restype = library.damrak_source.restype = c_int64
        sizes = library.damrak_sizes()
    except (OSError, AttributeError) as problem:
        raise NoCore(f"the native core cannot be loaded: {problem}") from problem
    if sizes != SIZES:
        raise NoCore("the native core was built from another source")
    library.damrak_run.argtypes = library.damrak_help.argtypes = (c_void_p, c_int32)
    library.damrak_together.argtypes = (c_void_p,)
    library.damrak_help.restype = library.damrak_together.restype = None
    library.damrak_run.restype = library.damrak_prepare.restype = None
    library.damrak_prepare()
    return library


class NativeGames:
    """A batch of games in the memory of the native core."""

    is_native: Final = True

    def __init__(self, plan: Plan, arrays: Arrays, library: CDLL | None = None) -> None:
        library = core() if library is None else library
        self.plan = plan
        self.arrays = arrays
        self._tables = tables_of(plan.rules)
        it = self._tables.tables
        self._memory = _aligned(plan.rows, it.game_size)
        self._legal = np.zeros((plan.rows, it.words), np.uint64)
        self._log = np.zeros((plan.rows if plan.is_logged else 0, it.log_size), np.uint16)
        self._origins: dict[int, tuple[int, State]] = {}
        self._taken = np.zeros((plan.threads, CACHE_LINE // 8), np.int64)
        self._batch = self._new_batch()
        at = addressof(self._batch)
        self._work = partial(library.damrak_run, at)
        self._helpers = (
            Helpers(plan.threads - 1, library, self._batch, self._taken)
            if plan.threads > 1
            else None
        )
        (
            self.phase,
            self.actor,
            self.learner,
            self.is_waiting,
            self.draws,
            self.deals,
            self.logged,
        ) = [_field(self._memory, name, dtype) for name, dtype in _FIELDS.items()]

    def _new_batch(self) -> Batch:
        plan, batch = self.plan, Batch()
        batch.tables = addressof(self._tables.tables)
        batch.games, batch.legal = self._memory.ctypes.data, self._legal.ctypes.data
        batch.taken, batch.parts = self._taken.ctypes.data, plan.threads
        batch.log = self._log.ctypes.data if plan.is_logged else None
        batch.final_stride = _stride(self.arrays.final_observations)
        batch.rows, batch.learner, batch.viewer = plan.rows, plan.learner, AS_SEATED
        batch.autoreset, batch.reward = plan.autoreset, plan.reward
        batch.as_bytes = plan.dtype is np.uint8
        for seat, control in enumerate(plan.control):
            batch.control[seat] = control
        for name in ("seeds", "actions", "final_observations", "rewards", "seat_rewards"):
            setattr(batch, name, _pointer(getattr(self.arrays, name)))
        for name in ("terminals", "outcomes"):
            setattr(batch, name, _pointer(getattr(self.arrays, name)))
        return batch

    def close(self) -> None:
        """End the threads."""
        if self._helpers is not None:
            self._helpers.close()

    # ---- play -------------------------------------------------------------------------------

    def check(self, select: bool = False) -> int:
        """Return the first row whose action is not legal, or -1: of all rows, or of the selected.

        Without `select`, rows that wait for the next game are left out.
        """
        self._taken[:, 2] = -1
        self._run(CHECK_PLAY if select else CHECK, select)
        wrong = [row for row in self._taken[:, 2].tolist() if row >= 0]
        return min(wrong, default=-1)

    def step(self) -> None:
        """Play an action in every row, with all that follows from it."""
        arrays = self.arrays
        self._run(STEP, False, AS_SEATED, arrays.observations, arrays.masks, arrays.seats)

    def play(self) -> None:
        """Play the actions of the selected rows."""
        self._run(PLAY, True)

    def deal(self) -> None:
        """Deal a new game in the selected rows."""
        self._run(DEAL, True)

    def resume(self) -> None:
        """Let built-in bots play on in the selected rows, after `load`."""
        self._run(RESUME, True)

    def show(
        self, viewer: int, observations: Array | None, masks: Array | None, seats: Array | None
    ) -> None:
        """Write the selected rows of these arrays."""
        self._run(SHOW, True, viewer, observations, masks, seats)

    def choose(self) -> None:
        """Set the actions of all rows to random legal ones."""
        self._run(CHOOSE, False)

    def _run(
        self,
        job: int,
        select: bool,
        viewer: int = AS_SEATED,
        observations: Array | None = None,
        masks: Array | None = None,
        seats: Array | None = None,
    ) -> None:
        batch = self._batch
        batch.job = job
        batch.select = _pointer(self.arrays.select) if select else None
        batch.viewer = viewer
        batch.observations, batch.masks = _pointer(observations), _pointer(masks)
        batch.observation_stride, batch.mask_stride = _stride(observations), _stride(masks)
        batch.seats = _pointer(seats)
        self._taken[:, 0] = 0
        if self._helpers is None:
            self._work(0)
        else:
            self._helpers.run()

    # ---- games ------------------------------------------------------------------------------

    def restart(self, rows: Array) -> None:
        """Begin the numbering of deals in these rows again, as after a seed."""
        self.deals[rows] = 0
        for row in np.flatnonzero(rows).tolist():
            self._origins.pop(row, None)

    def origin(self, row: int) -> State | None:
        """Return the state that was loaded into this row, or None if its game was dealt."""
        deal, state = self._origins.get(row, (-1, None))
        return state if deal == self.deals[row] else None

    def played(self, row: int) -> Sequence[int]:
        """Return the actions in this row since it was dealt or loaded."""
        actions: list[int] = self._log[row, : self.logged[row]].tolist()
        return actions

    def game(self, row: int) -> Game:
        """Return the fixed part of a game, which shares its memory."""
        return Game.from_buffer(self._memory[row].data)

    def load(self, rows: Sequence[int], state: State, learner: int | None = None) -> None:
        """Continue from this state in these rows, each with chance of its own."""
        deals, learners = self.deals + 1, self.learner.copy()
        for i, row in enumerate(rows):
            if i == 0:
                write_game(self._tables, self._memory[row], self._legal[row], state)
            else:
                self._memory[row] = self._memory[rows[0]]
                self._legal[row] = self._legal[rows[0]]
            game, deal = Game.from_buffer(self._memory[row].data), int(deals[row])
            game.deal, game.learner = deal, learners[row] if learner is None else learner
            game.key = key_of(int(self.arrays.seeds[row]), row, deal)
            self._origins[row] = (deal, state)

    def set_up(self, states: Sequence[State], times: int) -> None:
        """Continue from all of these states `times` times, one after the other from row 0 on.

        The rows of the same state have the same chance, which makes actions comparable.
        """
        number = len(states)
        for row, state in enumerate(states):
            self.load([row], state, ALL_SEATS)
        for first in range(number, number * times, number):
            self._memory[first : first + number] = self._memory[:number]
            self._legal[first : first + number] = self._legal[:number]


def _aligned(rows: int, size: int) -> Array:
    """Return memory that begins at a cache line."""
    memory = np.zeros(rows * size + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + rows * size].reshape(rows, size)


def _field(memory: Array, name: str, dtype: Any) -> Array:
    at, size = getattr(Game, name).offset, np.dtype(dtype).itemsize
    field: Array = memory[:, at : at + size].view(dtype)[:, 0]
    return field


def _stride(array: Array | None) -> int:
    return 0 if array is None else array.strides[0]


def _pointer(array: Array | None) -> int | None:
    return None if array is None else array.ctypes.data
