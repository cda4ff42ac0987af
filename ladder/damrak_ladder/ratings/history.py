"""The played games, in the form that the fit reads.

A block is a few games between the same versions. It contains all facts that depend on strength: the
players, and in each game the turn and the place of each player.

    history = History.of([
        Block(players=(7, 3), games=(Game(turns=(0, 1), places=(1, 2)), ...)),
    ])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.ratings.scale import Booleans, Integers, Small

SEATS: Final = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a block; both tuples have one entry per player, in the order of the block."""

    turns: tuple[int, ...]  # of each player: 0 moved first
    places: tuple[int, ...]  # 1 is the winner's; tied players have equal numbers


@dataclass(frozen=True, slots=True)
class Block:
    """Games between the same versions, which are numbered from 0 without gaps."""

    players: tuple[int, ...]
    games: tuple[Game, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Blocks with the same number of seats, as arrays.

    Raises:
        ValueError: the arrays are inconsistent.
    """

    players: Integers  # blocks x seats: version numbers
    block: Integers  # for each game the row of `players`; ascending
    turns: Small  # games x seats, as in Game
    places: Small  # games x seats, as in Game

    def __post_init__(self) -> None:
        games = len(self.block)
        if self.players.ndim != 2 or self.seats not in SEATS:
            raise ValueError("players: not blocks by 2, 3 or 4 seats")
        if self.turns.shape != (games, self.seats) or self.places.shape != (games, self.seats):
            raise ValueError("turns and places: not games by seats")
        if games and (np.diff(self.block) < 0).any():
            raise ValueError("block: falls")
        if games and not 0 <= self.block[0] <= self.block[-1] < len(self.players):
            raise ValueError("block: no such block")
        if len(self.players) and self.players.min() < 0:
            raise ValueError("players: below 0")
        if not _permutations(self.turns):
            raise ValueError("turns: every player moves at a turn of its own, from 0")
        if games and not 1 <= self.places.min() <= self.places.max() <= self.seats:
            raise ValueError("places: not from 1 to the number of seats")

    @property
    def seats(self) -> int:
        """The number of players at a table."""
        return int(self.players.shape[1])

    def __len__(self) -> int:
        return len(self.players)

    def head(self, blocks: int) -> Tables:
        """Return the first `blocks` blocks."""
        games = int(np.searchsorted(self.block, blocks))
        return Tables(
            self.players[:blocks], self.block[:games], self.turns[:games], self.places[:games]
        )

    def tail(self, blocks: int) -> Tables:
        """Return all blocks except the first `blocks`."""
        games = int(np.searchsorted(self.block, blocks))
        rest = (self.block[games:] - blocks).astype(np.int32)
        return Tables(self.players[blocks:], rest, self.turns[games:], self.places[games:])

    def only(self, kept: Booleans) -> Tables:
        """Return the blocks selected by a mask."""
        games = kept[self.block]
        block = (np.cumsum(kept) - 1).astype(np.int32)[self.block[games]]
        return Tables(self.players[kept], block, self.turns[games], self.places[games])


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """All blocks of a ladder, by the number of seats."""

    tables: Mapping[int, Tables]

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> History:
        """Return these blocks as arrays.

        Raises:
            ValueError: a block does not have two to four players, or a game does not match its
                block.
        """
        sorted_out: dict[int, list[Block]] = {}
        for block in blocks:
            if len(block.players) not in SEATS:
                raise ValueError(f"a block of {len(block.players)} players")
            sorted_out.setdefault(len(block.players), []).append(block)
        return cls({seats: _table(sorted_out[seats]) for seats in sorted(sorted_out)})

    def __len__(self) -> int:
        return sum(len(table) for table in self.tables.values())

    @property
    def versions(self) -> int:
        """The highest version number plus one."""
        highest = [int(table.players.max()) for table in self.tables.values() if len(table)]
        return max(highest, default=-1) + 1

    def only(self, seats: int) -> History:
        """Return the blocks at tables of this size."""
        return History({n: table for n, table in self.tables.items() if n == seats})

    def thinned(self, step: int) -> History:
        """Return every `step`-th block of each size."""
        return History(
            {n: table.only(np.arange(len(table)) % step == 0) for n, table in self.tables.items()}
        )

    def joined(self, later: History) -> History:
        """Return this history followed by a later one."""
        tables = dict(self.tables)
        for seats, table in later.tables.items():
            tables[seats] = _concatenated(tables[seats], table) if seats in tables else table
        return History({seats: tables[seats] for seats in sorted(tables)})

    def blocks_of(self, versions: int) -> Integers:
        """Return the number of blocks that each of the first `versions` versions has played."""
        total = np.zeros(versions, dtype=np.int32)
        for table in self.tables.values():
            total += np.bincount(table.players.ravel(), minlength=versions).astype(np.int32)
        return total

    def games_of(self, versions: int) -> Integers:
        """Return the number of games that each of the first `versions` versions has played."""
        total = np.zeros(versions, dtype=np.int32)
        for table in self.tables.values():
            games = np.bincount(table.block, minlength=len(table))
            weights = np.repeat(games, table.seats).astype(np.float64)
            counts = np.bincount(table.players.ravel(), weights, minlength=versions)
            total += counts.astype(np.int32)
        return total


def _permutations(turns: Small) -> bool:
    seats = turns.shape[1]
    seen = np.zeros(len(turns), dtype=np.int8)
    for turn in turns.T:
        if len(turn) and not 0 <= turn.min() <= turn.max() < seats:
            return False
        seen |= np.left_shift(np.int8(1), turn)
    return bool((seen == (1 << seats) - 1).all())


def _table(blocks: list[Block]) -> Tables:
    games = [game for block in blocks for game in block.games]
    seats = len(blocks[0].players)
    for game in games:
        if len(game.turns) != seats or len(game.places) != seats:
            raise ValueError(f"{game}: not a game of {seats}")
    return Tables(
        players=np.array([block.players for block in blocks], dtype=np.int32),
        block=np.repeat(
            np.arange(len(blocks), dtype=np.int32), [len(block.games) for block in blocks]
        ),
        turns=np.array([game.turns for game in games], dtype=np.int8).reshape(-1, seats),
        places=np.array([game.places for game in games], dtype=np.int8).reshape(-1, seats),
    )


def _concatenated(first: Tables, second: Tables) -> Tables:
    return Tables(
        np.concatenate([first.players, second.players]),
        np.concatenate([first.block, second.block + np.int32(len(first))]),
        np.concatenate([first.turns, second.turns]),
        np.concatenate([first.places, second.places]),
    )
