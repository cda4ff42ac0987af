"""The data about versions that matchmaking requires."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from damrak_ladder.ratings.history import SEATS
from damrak_ladder.ratings.scale import Booleans, Floats, Integers

MEMORY: Final = 32
"""The number of latest opponents that are stored for each version."""

UNLIMITED: Final = 1_000_000
"""The room of a version that may sit at any number of tables."""

HOUSE: Final = -1
"""The owner of house bots, of which any number may share a table."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One version that may be seated."""

    owner: int
    elo: float
    error: float  # its standard error; 0 for a fixed anchor
    # By table size, including blocks under way.
    blocks: Mapping[int, int] = field(default_factory=dict)
    pending: int = 0  # the number of these that the rating does not include yet
    recent: tuple[int, ...] = ()  # the latest opponents (as indices of the field), latest last
    is_anchor: bool = False
    waited: float = 0.0  # sum over the tables since its latest one of 1 / eligible versions
    room: int = UNLIMITED  # tables that it may join now


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """All versions that may be seated, as arrays."""

    owner: Integers
    elo: Floats
    error: Floats
    blocks: Integers  # versions x sizes 2, 3, 4
    pending: Integers
    recent: Integers  # versions x MEMORY, padded with -1
    is_anchor: Booleans
    waited: Floats
    room: Integers

    @property
    def eligible(self) -> Booleans:
        """The versions that may be seated and whose strength is to be estimated."""
        return np.asarray(~self.is_anchor & (self.room > 0))

    @classmethod
    def of(cls, entrants: Sequence[Entrant]) -> Field:
        """Return the field of these versions, numbered in this order."""
        recent = np.full((len(entrants), MEMORY), -1, dtype=np.int32)
        for at, entrant in enumerate(entrants):
            latest = entrant.recent[-MEMORY:]
            recent[at, MEMORY - len(latest) :] = latest
        blocks = [[one.blocks.get(seats, 0) for seats in SEATS] for one in entrants]
        return cls(
            owner=np.array([one.owner for one in entrants], dtype=np.int32),
            elo=np.array([one.elo for one in entrants], dtype=np.float64),
            error=np.array([one.error for one in entrants], dtype=np.float64),
            blocks=np.array(blocks, dtype=np.int32).reshape(-1, len(SEATS)),
            pending=np.array([one.pending for one in entrants], dtype=np.int32),
            recent=recent,
            is_anchor=np.array([one.is_anchor for one in entrants], dtype=bool),
            waited=np.array([one.waited for one in entrants], dtype=np.float64),
            room=np.array([one.room for one in entrants], dtype=np.int32),
        )

    def after(self, tables: Iterable[Sequence[int]]) -> Field:
        """Return the field with these tables under way."""
        blocks, pending, recent = self.blocks.copy(), self.pending.copy(), self.recent.copy()
        waited, eligible = self.waited.copy(), self.eligible
        for players in tables:
            waited[eligible] += 1 / max(1, int(np.count_nonzero(eligible)))
            waited[list(players)] = 0.0
            for player in players:
                blocks[player, len(players) - SEATS[0]] += 1
                pending[player] += 1
                others = [other for other in players if other != player]
                recent[player, : MEMORY - len(others)] = recent[player, len(others) :]
                recent[player, MEMORY - len(others) :] = others
        return replace(self, blocks=blocks, pending=pending, recent=recent, waited=waited)

    def __len__(self) -> int:
        return len(self.owner)
