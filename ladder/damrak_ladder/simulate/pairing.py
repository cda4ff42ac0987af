"""Ways to decide who plays whom: ours, and those it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

import numpy as np

from damrak_ladder.matchmaking import HOUSE, MEMORY, UNLIMITED, Field, Policy, arrange
from damrak_ladder.ratings.history import SEATS
from damrak_ladder.ratings.scale import Booleans, Floats, Integers

Tables = Mapping[int, Integers]
"""By table size: blocks x players."""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """What is known when the next blocks are arranged."""

    elo: Floats
    error: Floats
    is_anchor: Booleans


@dataclass(frozen=True, slots=True)
class Waits:
    """How long bots waited in a season, in tables."""

    fair_turn: float  # eligible bots / seats per table
    longest: int  # tables without one bot


class Pairing(Protocol):
    """Arranges blocks; may remember what it arranged."""

    looks: ClassVar[bool]
    """Whether it matters to it what is known."""

    def tables(self, standing: Standing, count: int) -> Tables:
        """So many blocks, or a few less."""


class OurPairing:
    """The matchmaking of the ladder. Anchors are house bots."""

    looks: ClassVar[bool] = True

    def __init__(self, bots: int, seed: int, per_owner: int = 1) -> None:
        self._seed = seed
        self._owner = np.arange(bots) // per_owner
        self._blocks = np.zeros((bots, len(SEATS)), dtype=np.int32)
        self._recent = np.full((bots, MEMORY), -1, dtype=np.int32)
        self._slots = np.zeros(bots, dtype=np.int64)
        self._latest = np.zeros(bots, dtype=np.int64)  # the table at which each sat last
        self._arranged = 0
        self._longest = np.zeros(bots, dtype=np.int64)
        self._policy = Policy(shares={n: 1.0 for n in SEATS if n <= bots})

    def tables(self, standing: Standing, count: int) -> Tables:
        """What the ladder would play."""
        bots = len(self._blocks)
        eligible = ~standing.is_anchor
        field = Field(
            owner=np.where(standing.is_anchor, HOUSE, self._owner).astype(np.int32),
            elo=standing.elo,
            error=standing.error,
            blocks=self._blocks,
            pending=np.zeros(bots, dtype=np.int32),
            recent=self._recent,
            is_anchor=standing.is_anchor,
            waited=(self._arranged - self._latest) / max(1, int(np.count_nonzero(eligible))),
            room=np.full(bots, UNLIMITED, dtype=np.int32),
        )
        self._seed += 1
        found: dict[int, list[tuple[int, ...]]] = {}
        for table in arrange(field, self._policy, self._seed, count):
            found.setdefault(len(table.players), []).append(table.players)
            self._count(list(table.players))
        tables = {n: np.array(found[n], dtype=np.int32) for n in sorted(found)}
        for seats, players in tables.items():
            self._note(seats, players)
        return tables

    def waits(self, is_anchor: Booleans) -> Waits:
        """Returns how long bots waited for a table."""
        longest = np.maximum(self._longest, self._arranged - self._latest)[~is_anchor]
        fair_turn = len(longest) / self._policy.seats
        return Waits(fair_turn=fair_turn, longest=int(np.max(longest, initial=0)))

    def _count(self, players: list[int]) -> None:
        waited = self._arranged - self._latest[players]
        self._longest[players] = np.maximum(self._longest[players], waited)
        self._arranged += 1
        self._latest[players] = self._arranged

    def _note(self, seats: int, players: Integers) -> None:
        np.add.at(self._blocks[:, seats - SEATS[0]], players.ravel(), 1)
        for other in range(1, seats):
            for column in range(seats):
                own, met = players[:, column], players[:, (column + other) % seats]
                # Of several at once one is remembered, which is as good as all.
                self._recent[own, self._slots[own] % MEMORY] = met
                self._slots[own] += 1


class RandomPairing:
    """Everyone against anyone of another owner."""

    looks: ClassVar[bool] = False

    def __init__(self, bots: int, seed: int, per_owner: int = 1) -> None:
        self._bots, self._per_owner = bots, per_owner
        self._rng = np.random.default_rng([seed, 2])

    def tables(self, standing: Standing, count: int) -> Tables:
        """Tables drawn by lot."""
        tables = {}
        for seats, blocks in _shared_out(count, self._bots).items():
            players = self._rng.integers(0, self._bots, (blocks, seats)).astype(np.int32)
            while (again := _twice(players // self._per_owner)).any():
                fresh = self._rng.integers(0, self._bots, (int(again.sum()), seats))
                players[again] = fresh.astype(np.int32)
            tables[seats] = players
        return tables


class RoundRobin:
    """Everyone against everyone in turn."""

    looks: ClassVar[bool] = False

    def __init__(self, bots: int, seed: int, per_owner: int = 1) -> None:
        rng = np.random.default_rng([seed, 3])
        self._order = rng.permutation(bots).astype(np.int32)
        self._step = dict.fromkeys(SEATS, 0)

    def tables(self, standing: Standing, count: int) -> Tables:
        """The next tables of the cycle: one bot, and those at equal distances round the circle."""
        bots, tables = len(self._order), {}
        for seats, blocks in _shared_out(count, bots).items():
            step = self._step[seats] + np.arange(blocks)
            self._step[seats] += blocks
            distance = 1 + (step // bots) % max(1, (bots - 1) // (seats - 1))
            at = (step % bots)[:, None] + distance[:, None] * np.arange(seats)
            players = self._order[at % bots]
            tables[seats] = players[~_twice(players)]
        return tables


class NearestPairing:
    """A bot drawn by lot, and those who stand next to it."""

    looks: ClassVar[bool] = True

    def __init__(self, bots: int, seed: int, per_owner: int = 1) -> None:
        self._bots = bots
        self._rng = np.random.default_rng([seed, 4])

    def tables(self, standing: Standing, count: int) -> Tables:
        """Neighbours in the list as it is now."""
        order = np.argsort(standing.elo, kind="stable").astype(np.int32)
        tables = {}
        for seats, blocks in _shared_out(count, self._bots).items():
            start = self._rng.integers(0, self._bots - seats + 1, blocks)
            tables[seats] = order[start[:, None] + np.arange(seats)]
        return tables


class MakePairing(Protocol):
    """Makes a pairing of so many bots, of which each owner has `per_owner`."""

    def __call__(self, bots: int, seed: int, per_owner: int = 1) -> Pairing: ...


PAIRINGS: Final[Mapping[str, MakePairing]] = {
    "damrak": OurPairing,
    "random": RandomPairing,
    "round robin": RoundRobin,
    "nearest rating": NearestPairing,
}


def _shared_out(count: int, bots: int) -> dict[int, int]:
    """How many of the blocks have which size, so that a bot sits at as many of each."""
    sizes = [seats for seats in SEATS if seats <= bots]
    whole = sum(1 / seats for seats in sizes)
    shared = {seats: int(count / seats / whole) for seats in sizes}
    shared[sizes[0]] += count - sum(shared.values())
    return shared


def _twice(players: Integers) -> Booleans:
    """Tables at which somebody sits twice."""
    sorted_ = np.sort(players, axis=1)
    return np.asarray((sorted_[:, 1:] == sorted_[:, :-1]).any(axis=1))
