"""The organiser's policy for making tables, and the table itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from damrak_ladder.ratings.history import SEATS
from damrak_ladder.ratings.scale import Floats


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings that an organiser may choose.

    Raises:
        ValueError: a share is for another table size, or none is above 0.
    """

    shares: Mapping[int, float] = field(default_factory=lambda: {2: 1.0, 3: 1.0, 4: 1.0})
    fresh: int = 6  # a version with fewer blocks precedes all that have more
    far: int = 12  # one table in `far` has an anchor or an opponent from anywhere on the ladder

    def __post_init__(self) -> None:
        if not set(self.shares) <= set(SEATS) or min(self.shares.values(), default=-1.0) < 0:
            raise ValueError(f"shares: of tables for {SEATS}, and not below 0")
        if sum(self.shares.values()) <= 0:
            raise ValueError("shares: all are 0")

    @property
    def parts(self) -> Floats:
        """Return the shares by table size, normalised to a sum of 1."""
        parts = np.array([self.shares.get(seats, 0.0) for seats in SEATS])
        return np.asarray(parts / np.sum(parts))

    @property
    def seats(self) -> float:
        """Return the mean number of seats at a table, if every version gets these shares."""
        return float(1 / np.sum(self.parts / np.array(SEATS)))


@dataclass(frozen=True, slots=True)
class Table:
    """The versions of a block, and why they were chosen."""

    players: tuple[int, ...]  # indices in the field
    reason: str  # "waited", "fresh", "behind" or "uncertain": why the first was chosen
