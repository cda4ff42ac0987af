"""The generated season: which tables were played, when, and by which versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.population.field import Field, Real, Whole

NEIGHBOURS: Final = 0.04
"""The typical distance of opponents in the order of strength, as a share of the field."""

_TRIES: Final = 600
_KIND_TRIES: Final = 300


@dataclass(frozen=True, slots=True, eq=False)
class Season:
    """All blocks in chronological order; blocks of the first ladder have two seats."""

    time: Real
    ladder: Whole  # 0 or 1
    seats: Whole
    players: Whole  # versions, in four columns; -1 if there is no such seat

    @property
    def blocks(self) -> int:
        """Return the number of blocks."""
        return len(self.time)

    @property
    def matches(self) -> Whole:
        """Return the number of matches before each block, followed by the total."""
        return np.concatenate([[0], np.cumsum(self.seats)])

    @property
    def chairs(self) -> Whole:
        """Return the number of seats of matches before each block, followed by the total."""
        return np.concatenate([[0], np.cumsum(self.seats**2)])


def make_season(chance: np.random.Generator, field: Field, matches: int) -> Season:
    """Generate blocks with at least `matches` matches.

    A little over half of them are two-player tables on the first ladder, the rest tables for two to
    four on the second.
    """
    rows = matches // 2 + 1
    drawn = chance.choice(4, rows, p=[0.7, 0.1, 0.1, 0.1])
    ladder = (drawn > 0).astype(np.int64)
    seats = np.where(drawn == 0, 2, drawn + 1)
    rows = int(np.searchsorted(np.cumsum(seats), matches)) + 1
    ladder, seats = ladder[:rows], seats[:rows]
    time = np.sort(chance.random(rows) ** 0.7)  # activity increases over time
    bots = _tables(chance, field, seats, time)
    players = np.full((rows, 4), -1, dtype=np.int64)
    for place in range(4):
        there = seats > place
        players[there, place] = field.version_at(bots[there, place], time[there])
    return Season(time, ladder, seats, players)


def _tables(chance: np.random.Generator, field: Field, seats: Whole, time: Real) -> Whole:
    """Draw bots of similar strength that existed at the time, of different owners if possible."""
    strength = field.version_elo[field.first_version[1:] - 1]
    order = np.argsort(strength)
    place = np.argsort(order)
    likely = np.cumsum(field.appetite)
    bots = np.full((len(seats), 4), -1, dtype=np.int64)
    todo = np.arange(len(seats))
    reach = NEIGHBOURS * field.bots + 3
    for attempt in range(_TRIES):
        first = np.searchsorted(likely, chance.random(len(todo)) * likely[-1])
        wide = reach * (1 + min(attempt, 20))
        near = place[first][:, None] + np.rint(chance.laplace(0, wide, (len(todo), 3)))
        near = np.abs(near) % (2 * field.bots)
        near = np.where(near >= field.bots, 2 * field.bots - 1 - near, near).astype(np.int64)
        rows = np.concatenate([first[:, None], order[near]], axis=1)
        rows[np.arange(4) >= seats[todo][:, None]] = -1
        bots[todo] = rows
        is_strict = attempt < _KIND_TRIES
        todo = todo[_is_wrong(field, rows, time[todo], is_strict)]
        if not len(todo):
            return bots
    raise ValueError("too few bots for such tables")


def _is_wrong(field: Field, rows: Whole, time: Real, is_strict: bool) -> np.ndarray:
    wrong = ((field.started[rows] > time[:, None]) & (rows >= 0)).any(axis=1)
    for one in range(4):
        for other in range(one):
            both = (rows[:, one] >= 0) & (rows[:, other] >= 0)
            wrong |= both & (rows[:, one] == rows[:, other])
            if is_strict:
                own, its = field.owner[rows[:, one]], field.owner[rows[:, other]]
                wrong |= both & (own == its) & (own >= 0)
    return np.asarray(wrong)
