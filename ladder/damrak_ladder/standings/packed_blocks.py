"""The compact encoding of a block.

`results`: the number of seats, the versions (four bytes each), then for each game one byte per
version: turn, place and whether it was at fault. `points`: four bytes for each of these.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from damrak_ladder.ratings import Block, Game

FAULT: Final = 0x80
_PLACE: Final = 0x07


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a block: `block` as the fit reads it, with keys of versions as its players."""

    block: Block
    points: tuple[tuple[int, ...], ...]  # for each game, in the order of the players
    faults: tuple[tuple[bool, ...], ...]


@dataclass(frozen=True, slots=True)
class Came:
    """The result of one version in one game."""

    version: int
    turn: int
    place: int
    points: int
    is_fault: bool


def outcome_of(games: Iterable[Iterable[Came]]) -> Outcome:
    """Return the outcome of the games of a block, each with the same versions in any order.

    Raises:
        ValueError: the games have different versions.
    """
    rows = [{came.version: came for came in game} for game in games]
    if not rows:
        raise ValueError("a block without games")
    players = tuple(sorted(rows[0]))
    if any(tuple(sorted(row)) != players for row in rows):
        raise ValueError("the games of a block have different players")
    sorted_ = [[row[player] for player in players] for row in rows]
    return Outcome(
        block=Block(
            players=players,
            games=tuple(
                Game(tuple(one.turn for one in row), tuple(one.place for one in row))
                for row in sorted_
            ),
        ),
        points=tuple(tuple(one.points for one in row) for row in sorted_),
        faults=tuple(tuple(one.is_fault for one in row) for row in sorted_),
    )


def pack(outcome: Outcome) -> tuple[bytes, bytes]:
    """Return the results and the points of an outcome as bytes."""
    players = outcome.block.players
    results = bytes([len(players)]) + struct.pack(f"<{len(players)}I", *players)
    for game, faults in zip(outcome.block.games, outcome.faults, strict=True):
        results += bytes(
            turn << 4 | place | (FAULT if is_fault else 0)
            for turn, place, is_fault in zip(game.turns, game.places, faults, strict=True)
        )
    flat = [points for row in outcome.points for points in row]
    return results, struct.pack(f"<{len(flat)}i", *flat)


def unpack(results: bytes, points: bytes) -> Outcome:
    """Return the outcome that `pack` has encoded."""
    seats = results[0]
    start = 1 + 4 * seats
    games = [results[at : at + seats] for at in range(start, len(results), seats)]
    flat = struct.unpack(f"<{len(games) * seats}i", points)
    return Outcome(
        block=Block(
            players=struct.unpack_from(f"<{seats}I", results, 1),
            games=tuple(
                Game(tuple(one >> 4 & 7 for one in game), tuple(one & _PLACE for one in game))
                for game in games
            ),
        ),
        points=tuple(tuple(flat[at : at + seats]) for at in range(0, len(flat), seats)),
        faults=tuple(tuple(bool(one & FAULT) for one in game) for game in games),
    )
