"""Pairing methods: our matchmaking, and the methods it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

import numpy as np

from damrak_ladder.matchmaking import HOUSE, MEMORY, UNLIMITED, Field, Policy, arrange
from damrak_ladder.ratings.history import SEATS
from damrak_ladder.ratings.scale import Booleans, Floats, Integers

Tables = Mapping[int, Integers]
"""Arrays of blocks x players, by table size."""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """The state of knowledge when the next blocks are arranged."""

    elo: Floats
    error: Floats
    is_anchor: Booleans


@dataclass(frozen=True, slots=True)
class Waits:
    """The waiting times of bots in a season, in tables."""

    fair_turn: float  # eligible bots / seats per table
    longest: int  # the largest number of tables without a certain bot


class Pairing(Protocol):
    """A method that arranges blocks; it may depend on those it has arranged before."""

    looks: ClassVar[bool]
    """Whether it depends on the standing."""

    def tables(self, standing: Standing, count: int) -> Tables:
        """Return `count` blocks, or slightly fewer."""


class OurPairing:
    """The matchmaking of the ladder. Anchors are house bots."""

    looks: ClassVar[bool] = True

    def __init__(self, bots: int, seed: int, per_owner: int = 1) -> None:
        self._seed = seed
        self._owner = np.arange(bots) // per_owner
        self._blocks = np.zeros((bots, len(SEATS)), dtype=np.int32)
        self._recent = np.full((bots, MEMORY), -1, dtype=np.int32)
        self._slots = np.zeros(bots, dtype=np.int64)
        self._latest = np.zeros(bots, dtype=np.int64)  # the last table of each bot
        self._arranged = 0
        self._longest = np.zeros(bots, dtype=np.int64)
        self._policy = Policy(shares={n: 1.0 for n in SEATS if n <= bots})

    def tables(self, standing: Standing, count: int) -> Tables:
        """Return the tables that the ladder would play."""
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
        """Return the waiting times of bots."""
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
                # If a bot met several opponents at once, storing one of them is sufficient.
                self._recent[own, self._slots[own] % MEMORY] = met
                self._slots[own] += 1


class RandomPairing:
    """Random opponents with different owners."""

    looks: ClassVar[bool] = False

    def __init__(self, bots: int, seed: int, per_owner: int = 1) -> None:
        self._bots, self._per_owner = bots, per_owner
        self._rng = np.random.default_rng([seed, 2])

    def tables(self, standing: Standing, count: int) -> Tables:
        """Return random tables."""
        tables = {}
        for seats, blocks in _shared_out(count, self._bots).items():
            players = self._rng.integers(0, self._bots, (blocks, seats)).astype(np.int32)
            while (again := _twice(players // self._per_owner)).any():
                fresh = self._rng.integers(0, self._bots, (int(again.sum()), seats))
                players[again] = fresh.astype(np.int32)
            tables[seats] = players
        return tables


class RoundRobin:
    """Each bot plays each other bot in turn."""

    looks: ClassVar[bool] = False

    def __init__(self, bots: int, seed: int, per_owner: int = 1) -> None:
        rng = np.random.default_rng([seed, 3])
        self._order = rng.permutation(bots).astype(np.int32)
        self._step = dict.fromkeys(SEATS, 0)

    def tables(self, standing: Standing, count: int) -> Tables:
        """Return the next tables of the cycle: one bot, and those at equal distances."""
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
    """A random bot and its neighbours in the standing."""

    looks: ClassVar[bool] = True

    def __init__(self, bots: int, seed: int, per_owner: int = 1) -> None:
        self._bots = bots
        self._rng = np.random.default_rng([seed, 4])

    def tables(self, standing: Standing, count: int) -> Tables:
        """Return neighbours in the current list."""
        order = np.argsort(standing.elo, kind="stable").astype(np.int32)
        tables = {}
        for seats, blocks in _shared_out(count, self._bots).items():
            start = self._rng.integers(0, self._bots - seats + 1, blocks)
            tables[seats] = order[start[:, None] + np.arange(seats)]
        return tables


class MakePairing(Protocol):
    """A factory of pairings for a number of bots, of which each owner has `per_owner`."""

    def __call__(self, bots: int, seed: int, per_owner: int = 1) -> Pairing: ...


PAIRINGS: Final[Mapping[str, MakePairing]] = {
    "damrak": OurPairing,
    "random": RandomPairing,
    "round robin": RoundRobin,
    "nearest rating": NearestPairing,
}


def _shared_out(count: int, bots: int) -> dict[int, int]:
    """Return the number of blocks of each size, so that a bot plays equally many of each size."""
    sizes = [seats for seats in SEATS if seats <= bots]
    whole = sum(1 / seats for seats in sizes)
    shared = {seats: int(count / seats / whole) for seats in sizes}
    shared[sizes[0]] += count - sum(shared.values())
    return shared


def _twice(players: Integers) -> Booleans:
    """Return a mask of tables at which a bot sits twice."""
    sorted_ = np.sort(players, axis=1)
    return np.asarray((sorted_[:, 1:] == sorted_[:, :-1]).any(axis=1))
