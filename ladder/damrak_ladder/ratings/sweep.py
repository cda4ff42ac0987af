"""The Plackett-Luce likelihood of all games at tables of one size, and its derivatives.

The winner is drawn with probabilities proportional to exp(strength + advantage of its turn), the
second place in the same way among the remaining players, and so on. For two seats that is the
Bradley-Terry model.

With e_m = exp(strength) of the player in place m, and T_k the sum of e_k and all behind it, the
log-likelihood is the sum of log(e_k / T_k). The information about strengths is a Laplacian: it
consists of a weight for each pair m < l, e_m e_l (1/T_1^2 + ... + 1/T_m^2).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.ratings.history import Tables
from damrak_ladder.ratings.orders import orders_of
from damrak_ladder.ratings.scale import Floats, Integers, Small

_ROWS: Final = 1 << 15  # rows processed at a time: few enough for the processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The indices of the numbers of all games. An entry is one player of one block."""

    seats: int
    version: Integers  # of each entry
    pairs: tuple[tuple[int, int], ...]  # the pairs of columns of a block
    where: tuple[Integers, ...]  # for each place and row: the entry that finished there
    turn: tuple[Small, ...]  # for each place and row: when that entry moved
    weight: Floats | None
    pieces: tuple[tuple[int, int, int, int], ...]  # rows from, to; blocks from, to


def layout_of(table: Tables) -> Layout:
    """Return the layout of these blocks."""
    seats = table.seats
    orders = orders_of(table)
    base = orders.block * np.int32(seats)
    a_time = max(1, _ROWS // seats)
    blocks = [*range(0, len(table), a_time), len(table)]
    rows = np.searchsorted(orders.block, blocks)
    return Layout(
        seats=seats,
        version=table.players.ravel(),
        pairs=tuple(itertools.combinations(range(seats), 2)),
        where=tuple(base + column for column in orders.finishers),
        turn=orders.turns,
        weight=orders.weight,
        pieces=tuple(
            (int(rows[i]), int(rows[i + 1]), blocks[i], blocks[i + 1])
            for i in range(len(blocks) - 1)
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """The likelihood at one point; values of a block are summed over its games."""

    likelihood: float
    score: Floats  # its derivative, for each entry
    pair: Floats  # blocks x pairs: information about that difference
    turn_score: Floats  # blocks x turns
    turn_pair: Floats  # turns x turns: information about that difference
    turn_cross: Floats  # entries x turns: minus the mixed second derivative


def sweep(layout: Layout, strength: Floats, advantage: Floats) -> Sweep:
    """Calculate the likelihood of all games and its derivatives."""
    seats = layout.seats
    entries = len(layout.version)
    result = Sweep(
        likelihood=0.0,
        score=np.empty(entries),
        pair=np.empty(entries // seats * len(layout.pairs)),
        turn_score=np.empty(entries),
        turn_pair=np.zeros((seats, seats)),
        turn_cross=np.empty(entries * seats),
    )
    powers, favours = np.exp(strength), np.exp(advantage)
    likelihood = 0.0
    for piece in layout.pieces:
        likelihood += _sweep_piece(layout, piece, powers, favours, result)
    return Sweep(
        likelihood,
        result.score,
        result.pair.reshape(-1, len(layout.pairs)),
        result.turn_score.reshape(-1, seats),
        result.turn_pair,
        result.turn_cross.reshape(entries, seats),
    )


def _sweep_piece(
    layout: Layout,
    piece: tuple[int, int, int, int],
    powers: Floats,
    favours: Floats,
    into: Sweep,
) -> float:
    seats = layout.seats
    start, stop, first, last = piece
    low, high = first * seats, last * seats
    power = powers[layout.version[low:high]]
    turn = [column[start:stop] for column in layout.turn]
    where = [column[start:stop] - np.int32(low) for column in layout.where]
    e = [power[at] * favours[when] for at, when in zip(where, turn, strict=True)]
    weight = np.ones(1) if layout.weight is None else layout.weight[start:stop]

    total = e[-1]
    inverse: list[Floats] = []
    for own in reversed(e[:-1]):
        total = own + total
        inverse.insert(0, 1 / total)
    chances = e[0] * inverse[0]
    for own, one in zip(e[1:-1], inverse[1:], strict=True):
        chances = chances * (own * one)
    likelihood = float(np.sum(np.log(chances) * weight))

    sums, squares = [inverse[0]], [inverse[0] * inverse[0]]
    for one in inverse[1:]:
        sums.append(sums[-1] + one)
        squares.append(squares[-1] + one * one)
    score, turn_score = np.zeros(high - low), np.zeros(high - low)
    for place in range(seats):
        behind = e[place] * sums[min(place, seats - 2)]
        own_score = ((1.0 if place < seats - 1 else 0.0) - behind) * weight
        score += np.bincount(where[place], own_score, minlength=high - low)
        at_turn = where[place] - where[place] % np.int32(seats) + turn[place]
        turn_score += np.bincount(at_turn, own_score, minlength=high - low)
    into.score[low:high] = score
    into.turn_score[low:high] = turn_score

    pairs = len(layout.pairs)
    numbers = np.zeros((seats, seats), dtype=np.int32)
    for index, (a, b) in enumerate(layout.pairs):
        numbers[a, b] = numbers[b, a] = index
    block = where[0] // np.int32(seats)
    column = [at - block * np.int32(seats) for at in where]
    pair = np.zeros((last - first) * pairs)
    cross = np.zeros((high - low) * seats)
    own = [np.zeros(stop - start) for _ in range(seats)]
    for m, k in itertools.combinations(range(seats), 2):
        about = e[m] * e[k] * squares[m] * weight
        own[m] += about
        own[k] += about
        number = numbers[column[m], column[k]]
        pair += np.bincount(block * np.int32(pairs) + number, about, minlength=len(pair))
        cross -= np.bincount(where[m] * np.int32(seats) + turn[k], about, minlength=len(cross))
        cross -= np.bincount(where[k] * np.int32(seats) + turn[m], about, minlength=len(cross))
        of_turns = np.bincount(turn[m].astype(np.int16) * seats + turn[k], about, seats * seats)
        into.turn_pair[:] += of_turns.reshape(seats, seats)
    for m in range(seats):
        cross += np.bincount(where[m] * np.int32(seats) + turn[m], own[m], minlength=len(cross))
    into.pair[first * pairs : last * pairs] = pair
    into.turn_cross[low * seats : high * seats] = cross
    return likelihood
