"""Games as the orders in which their players finished.

Players who share a place are put in every order in which they could have finished, each with an
equal part of the game's weight. This is equivalent to breaking the tie by lot and averaging over
all lots. So a shared place is half a win against each player who shares it, at tables of any size.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from damrak_ladder.ratings.history import Tables
from damrak_ladder.ratings.scale import Floats, Integers, Small


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """One row for each order in which a game may have ended; the rows of a block are adjacent."""

    block: Integers
    weight: Floats | None  # None: all are 1
    finishers: tuple[Small, ...]  # for each place, from the first, the player's column
    turns: tuple[Small, ...]  # for each place, when that player moved


def orders_of(table: Tables) -> Orders:
    """Return the orders of all games."""
    seats = table.seats
    known, counts = _compatible(seats)
    code = np.zeros(len(table.block), dtype=np.int16)
    for place in table.places.T:
        code = (code * seats + (place - 1)).astype(np.int16)
    times = counts[code]
    rows = np.arange(len(code), dtype=np.int32)
    weight: Floats | None = None
    choice = np.zeros(len(code), dtype=np.int8)
    if times.max(initial=1) > 1:
        weight = np.repeat(1 / times, times)
        starts = np.repeat(np.cumsum(times) - times, times)
        choice = (np.arange(len(starts)) - starts).astype(np.int8)
        rows = np.repeat(rows, times)
        code = code[rows]
    finishers = tuple(known[code, choice, place] for place in range(seats))
    return Orders(
        block=table.block[rows],
        weight=weight,
        finishers=finishers,
        turns=tuple(table.turns[rows, column] for column in finishers),
    )


@cache
def _compatible(seats: int) -> tuple[Small, NDArray[np.int64]]:
    """Return the orders compatible with each assignment of places, and their numbers."""
    known = np.zeros((seats**seats, math.factorial(seats), seats), dtype=np.int8)
    counts = np.zeros(seats**seats, dtype=np.int64)
    for code, places in enumerate(itertools.product(range(seats), repeat=seats)):
        orders = [
            order
            for order in itertools.permutations(range(seats))
            if all(places[a] <= places[b] for a, b in itertools.pairwise(order))
        ]
        known[code, : len(orders)] = orders
        counts[code] = len(orders)
    return known, counts
