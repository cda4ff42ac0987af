"""The layout of an observation vector, as a table of named parts.

The length of the vector is fixed for a board and a number of players. Seats are relative: index 0
is the observing seat, 1 the next one clockwise. Every number is in [0, 1].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

from damrak_engine.board import Board
from damrak_engine.boards import load_board
from damrak_engine.cards import KINDS
from damrak_engine.position import ROW_SIZE

LAYOUT: Final = "damrak-observation/1"
"""Version of the layout; changes if a part is added, removed, moved or redefined."""

FACES: Final = KINDS + 1  # the faces of a slot in the row: seven kinds, or nothing
PHASES: Final = ("setup", "turn", "second", "keep", "over")


@dataclass(frozen=True, slots=True)
class Part:
    """One named part of the vector: `vector[part.slice].reshape(part.shape)`."""

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """The number of values in this part."""
        return math.prod(self.shape)

    @property
    def stop(self) -> int:
        """The index at which the next part starts."""
        return self.start + self.size

    @property
    def slice(self) -> slice:
        """The slice of this part in a vector, or in the last axis of a batch."""
        return slice(self.start, self.stop)


def observation_layout(board: str | Board = "amsterdam", players: int = 2) -> tuple[Part, ...]:
    """Return the parts of the observation vector in order, without gaps, starting at 0."""
    return _layout(load_board(board) if isinstance(board, str) else board, players)


@cache
def _layout(board: Board, players: int) -> tuple[Part, ...]:
    parts: list[Part] = []
    start = 0
    for name, shape, meaning in (*_flags(board, players), *_counts(players), *_numbers(players)):
        part = Part(name, start, shape, meaning)
        parts.append(part)
        start = part.stop
    return tuple(parts)


Row = tuple[str, tuple[int, ...], str]


def _flags(board: Board, players: int) -> list[Row]:
    routes, contracts = len(board.routes), len(board.contracts)
    return [
        ("phase", (len(PHASES),), f"one of: {', '.join(PHASES)}"),
        ("actor", (players,), "who decides now; all 0 if over, or not mine to know at set-up"),
        ("first", (players,), "who began"),
        ("gone", (players,), "who left the table"),
        ("last_turns", (players,), "in the last round: who still has a turn"),
        ("closing", (1,), "the round is finished before the last one (equal_turns = on)"),
        ("row", (ROW_SIZE, FACES), "for each slot: pink ... orange, wild, empty"),
        ("owned", (players, routes), "who owns which route"),
        ("open", (routes,), "routes I could claim with the right cards and enough carts"),
        ("contracts", (contracts,), "contracts I keep"),
        ("linked", (contracts,), "contracts whose ends my routes join, mine or not"),
        ("offer", (2, contracts), "the first and the second contract on offer to me"),
        ("returned", (contracts,), "contracts I gave back and was not offered again"),
    ]


def _counts(players: int) -> list[Row]:
    share = ", of each kind as a share of all of that kind"
    return [
        ("hand", (KINDS,), f"my cards{share}"),
        ("discards", (KINDS,), f"the discards{share}"),
        ("unseen", (KINDS,), f"cards in the pile or hidden in other hands{share}"),
        ("floor", (KINDS,), f"those of them that are certain to be in other hands{share}"),
        ("known", (players, KINDS), f"cards that all players know a seat holds{share}"),
    ]


def _numbers(players: int) -> list[Row]:
    return [
        ("pile", (1,), "cards in the pile, of all cards"),
        ("contract_pile", (1,), "contracts in their pile, of all contracts"),
        ("goods_left", (1,), "goods cards left, of all goods cards"),
        ("turns", (1,), "finished turns, of the number of cards times that of players; at most 1"),
        ("passes", (1,), "passes in a row, of the number of players"),
        ("hand_sizes", (players,), "cards in hand, of all cards; 0 for others if not public"),
        ("carts", (players,), "carts left, of those at the start"),
        ("points", (players,), "route points, of the most that the carts could bring"),
        ("goods", (players,), "goods cards held, of the most a seat could get"),
        ("contract_counts", (players,), "contracts kept, of all contracts"),
    ]
