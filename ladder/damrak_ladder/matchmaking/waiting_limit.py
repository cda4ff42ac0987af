"""The limit on how long a version may wait for its next table.

A version is eligible if it can be seated now and is not an anchor. A fair turn is the number of
tables in which a plain rotation would seat each of them once: eligible versions / seats per table.
No eligible version may see more than `MOST_TURNS` fair turns of tables without being seated.

The versions are kept in order of their waits, the longest first. The one at position k (from 0) can
always be seated within the next k + 1 tables, if each of these goes to the version that has waited
longest. So the choice of the next table is free as long as every version may miss more than k
tables. Otherwise the next table goes to the version that has waited longest. This is
earliest-deadline-first scheduling. It is feasible from the start, because a table has at most four
seats, so a version that was just seated may miss at least as many tables as there are versions.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from damrak_ladder.matchmaking.field import Field

MOST_TURNS: Final = 4.0
"""The maximum wait of an eligible version, in fair turns."""

_PART: Final = 64  # len(versions) / _PART tables may pass between two checks of all waits


class WaitingLine:
    """The eligible versions, the longest wait first."""

    def __init__(self, field: Field, seats: float) -> None:
        players = np.flatnonzero(field.eligible)
        self._most = MOST_TURNS * len(players) / seats
        order = np.argsort(-field.waited[players], kind="stable")
        waited = np.minimum(field.waited[players] * len(players), self._most)
        self._tables = 0
        # A dictionary keeps the order in which its keys were added: by the latest table.
        self._latest: dict[int, float] = {int(players[at]): -float(waited[at]) for at in order}
        self._run = max(1, len(players) // _PART)
        self._forced = 0
        self._free = self._spare()

    def due(self) -> int | None:
        """Return the version that must sit at the next table, or None if the choice is free."""
        if self._free <= 0 and self._forced <= 0:
            self._free = self._spare()
            self._forced = self._run if self._free <= 0 else 0
        return next(iter(self._latest), None) if self._free <= 0 else None

    @property
    def is_late(self) -> bool:
        """Return whether one table each is too slow, which happens after the field has shrunk."""
        return self._free < 0

    def longest(self, count: int) -> list[int]:
        """Return the versions that have waited longest."""
        return [player for player, _ in zip(self._latest, range(count), strict=False)]

    def seat(self, players: list[int]) -> None:
        """Count a table of these players."""
        self._tables += 1
        if self._free > 0:
            self._free -= 1
        else:
            self._forced -= 1
        for player in players:
            if self._latest.pop(player, None) is not None:
                self._latest[player] = self._tables

    def drop(self, player: int) -> None:
        """Remove a version that cannot be seated."""
        self._latest.pop(player, None)

    def _spare(self) -> int:
        """Return how many tables may go to any versions before the limit restricts the choice."""
        latest = np.fromiter(self._latest.values(), float, len(self._latest))
        left = np.floor(self._most - (self._tables - latest) + 1e-9)
        return int(np.min(left - np.arange(len(left)), initial=np.iinfo(np.int32).max))
