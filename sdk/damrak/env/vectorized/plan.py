"""The settings of a batch of games, and the arrays that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from damrak.env.encode import encoder_for
from damrak.env.vectorized.structures import OUTCOME
from damrak_engine.rules import Rules

Array = NDArray[Any]
ALL_SEATS: Final = -1
RANDOM_SEAT: Final = -2
AS_SEATED: Final = -1  # whose observation to write: the learner's, or that of the seat to decide
AS_ACTOR: Final = -2


class Control(IntEnum):
    """The party that decides for a seat."""

    LEARNER = 0
    RANDOM = 1
    GREEDY = 2
    OUTSIDE = 3


class Autoreset(IntEnum):
    """When a finished game is followed by the next one."""

    NEVER = 0
    SAME_STEP = 1
    NEXT_STEP = 2


class Reward(IntEnum):
    """The scheme by which rewards are computed at the end of a game."""

    PLACE = 0
    MARGIN = 1
    CALLER = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a batch: `control` has an entry per seat, from the learner's on."""

    rules: Rules
    rows: int
    learner: int = ALL_SEATS
    control: tuple[Control, ...] = ()
    autoreset: Autoreset = Autoreset.SAME_STEP
    reward: Reward = Reward.PLACE
    dtype: type[np.float32] | type[np.uint8] = np.float32
    threads: int = 1
    is_logged: bool = True  # without a log of actions, games cannot become states


@dataclass(slots=True)
class Arrays:
    """The arrays that a batch writes, one row per game. `select` and `actions` are its input."""

    observations: Array | None
    masks: Array | None
    rewards: Array
    terminals: Array
    truncations: Array
    seats: Array
    seat_rewards: Array
    final_observations: Array | None
    outcomes: Array
    actions: Array
    select: Array
    seeds: Array


def arrays_for(plan: Plan, given: Mapping[str, Any] | None = None, bare: bool = False) -> Arrays:
    """Return new arrays, or the caller's where given.

    With `bare`, observations and masks are left out.

    Raises:
        ValueError: an array has an unknown name, or the wrong type, shape or layout.
    """
    rows, seats = plan.rows, plan.rules.seats
    given = dict(given or {})
    check_buffers(plan, given)
    forms = _forms(plan)
    made: dict[str, Any] = {
        name: given[name] if name in given else np.zeros(shape, dtype)
        for name, (shape, dtype, _) in forms.items()
        if not (bare and name in ("observations", "masks"))
    }
    seen = forms["observations"][0]
    is_final = plan.autoreset == Autoreset.SAME_STEP and not bare
    return Arrays(
        observations=made.get("observations"),
        masks=made.get("masks"),
        rewards=made["rewards"],
        terminals=made["terminals"],
        truncations=made["truncations"],
        seats=made["seats"],
        seat_rewards=made["seat_rewards"],
        final_observations=np.zeros(seen, plan.dtype) if is_final else None,
        outcomes=np.zeros((rows, seats, len(OUTCOME)), np.int32),
        actions=np.zeros(rows, np.int64),
        select=np.zeros(rows, np.uint8),
        seeds=np.zeros(rows, np.uint64),
    )


Form = tuple[tuple[int, ...], type[Any], tuple[type[Any], ...]]


def _forms(plan: Plan) -> dict[str, Form]:
    """Return the shape, the type, and other types of the same size, of each array by name."""
    rows, encoder = plan.rows, encoder_for(plan.rules)
    return {
        "observations": ((rows, encoder.size), plan.dtype, ()),
        "masks": ((rows, encoder.actions), np.int8, (np.bool_, np.uint8)),
        "rewards": ((rows,), np.float32, ()),
        "terminals": ((rows,), np.bool_, (np.int8, np.uint8)),
        "truncations": ((rows,), np.bool_, (np.int8, np.uint8)),
        "seats": ((rows,), np.int8, ()),
        "seat_rewards": ((rows, plan.rules.seats), np.float32, ()),
    }


def check_buffers(plan: Plan, given: Mapping[str, Any]) -> None:
    """Reject arrays of the caller that cannot be written.

    Raises:
        ValueError: an array has an unknown name, or the wrong type, shape or layout.
    """
    forms = _forms(plan)
    for name, array in given.items():
        if name not in forms:
            raise ValueError(f"no buffer {name!r}; there are: {', '.join(forms)}")
        _check(name, array, *forms[name])
    names = list(given)
    for i, name in enumerate(names):
        for other in names[:i]:
            if np.shares_memory(given[name], given[other]):
                raise ValueError(f"buffers {other} and {name} must not share memory")


def _check(
    name: str,
    array: Any,
    shape: tuple[int, ...],
    dtype: type[Any],
    others: tuple[type[Any], ...],
) -> None:
    if not isinstance(array, np.ndarray):
        raise ValueError(f"buffer {name} must be a numpy array, not {type(array).__name__}")
    if array.dtype not in (dtype, *others):
        raise ValueError(f"buffer {name} must be of type {np.dtype(dtype)}, not {array.dtype}")
    if array.shape != shape:
        raise ValueError(f"buffer {name} must have the shape {shape}, not {array.shape}")
    rows_apart = name in ("observations", "masks")  # rows of a wider array are welcome
    strides = array.strides[-1] == array.itemsize and array.strides[0] >= array[0].nbytes
    if not (array.flags.c_contiguous or (rows_apart and strides)):
        raise ValueError(f"buffer {name} must have contiguous rows")
    if not (array.flags.aligned and array.flags.writeable):
        raise ValueError(f"buffer {name} must be aligned and writable")
