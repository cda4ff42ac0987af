"""Swiss pairing for two: one exact matching.

Among all pairings without a forbidden pair the one with, in this order, the fewest pairs of one
owner, the fewest rematches, the fewest repeated byes, the smallest sum of squared score gaps (a bye
is a meeting with a score of 0), the smallest distance from "top half against bottom half" within
score groups, and byes for low seeds. A published seed draws what is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final

import numpy as np
import numpy.typing as npt

from damrak_ladder.tournaments.formats.history import History, ranked, score_groups
from damrak_ladder.tournaments.formats.lookahead import matching_with_future
from damrak_ladder.tournaments.formats.matching import (
    BITS,
    Costs,
    needed_bits,
    unit_of,
)
from damrak_ladder.tournaments.formats.randomness import generator
from damrak_ladder.tournaments.formats.values import Entrant, FormatError, Pairing

_LARGEST_SCALE: Final = 2**20
_TIES: Final = 256


@dataclass(frozen=True, slots=True)
class _Field:
    """Ranked entrants, and whether a bye is their last partner."""

    order: list[Entrant]
    past: History
    forbidden: set[frozenset[int]]
    same_owner_apart: bool

    @property
    def size(self) -> int:
        return len(self.order) + len(self.order) % 2


def pair(
    entrants: Collection[Entrant],
    past: History,
    *,
    seed: bytes | str,
    forbidden: Iterable[Collection[int]] = (),
    same_owner_apart: bool = True,
    rounds_left: int = 0,
) -> tuple[list[Pairing], dict[str, Fraction | int]]:
    """Returns the pairings of these entrants and their cost.

    `rounds_left` is the number of rounds after this one; pairings that would force a rematch in one
    of them are avoided where possible.

    Raises:
        FormatError: forbidden pairs leave no pairing at all.
    """
    pairs = {frozenset(pair) for pair in forbidden}
    field = _Field(ranked(entrants, past.points), past, pairs, same_owner_apart)
    if not field.order:
        return [], {}
    parts = _parts(field, seed)
    allowed = _allowed(field)
    fresh = allowed & (parts["same_owner"] == 0) & (parts["rematches"] == 0)
    fresh &= parts["second_byes"] == 0
    costs = list(parts.values())
    unit = unit_of(costs, list(parts).index("squared_gaps"))
    floor = _floor(parts["squared_gaps"])
    found = matching_with_future(costs, allowed, fresh, rounds_left, seed, floor, unit)
    if found is None:
        raise FormatError(
            "forbidden pairs leave at least one entrant without an opponent; allow one of them, "
            "or pair by hand"
        )
    return _pairings(field, found), cost(field.order, past, _numbers(field, found), parts, found)


def _numbers(field: _Field, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    count = len(field.order)
    return [tuple(field.order[at].number for at in pair if at < count) for pair in pairs]


def _pairings(field: _Field, pairs: Iterable[tuple[int, int]]) -> list[Pairing]:
    found = [Pairing(numbers) for numbers in _numbers(field, pairs)]
    return sorted(found, key=lambda it: it.is_bye)


def _allowed(field: _Field) -> npt.NDArray[np.bool_]:
    allowed = ~np.eye(field.size, dtype=bool)
    at = {entrant.number: index for index, entrant in enumerate(field.order)}
    for pair in field.forbidden:
        if pair <= at.keys() and len(pair) == 2:
            one, other = (at[number] for number in pair)
            allowed[one, other] = allowed[other, one] = False
    return allowed


def _parts(field: _Field, seed: bytes | str) -> dict[str, Costs]:
    """Returns the parts of the cost of every edge, the most important first."""
    size, count = field.size, len(field.order)
    at = {entrant.number: index for index, entrant in enumerate(field.order)}
    rematches = np.zeros((size, size), np.int64)
    for pair, times in field.past.meetings.items():
        if pair <= at.keys():
            one, other = (at[number] for number in pair)
            rematches[one, other] = rematches[other, one] = times
    second_byes = np.zeros((size, size), np.int64)
    low_seeds = np.zeros((size, size), np.int64)
    if size > count:
        byes = [field.past.byes[entrant.number] for entrant in field.order]
        second_byes[:count, count] = second_byes[count, :count] = byes
        places = np.argsort(np.argsort([entrant.seed for entrant in field.order]))
        low_seeds[:count, count] = low_seeds[count, :count] = count - 1 - places
    parts = {
        "same_owner": _same_owner(field),
        "rematches": rematches,
        "second_byes": second_byes,
        "squared_gaps": np.zeros((size, size), np.int64),
        "fold": _fold(field),
        "low_seeds": low_seeds,
        "lot": _lots(size, seed),
    }
    scale = _scale(field.past.points[entrant.number] for entrant in field.order)
    while True:  # scores with huge denominators are rounded
        parts["squared_gaps"] = _squared_gaps(field, scale)
        if needed_bits(list(parts.values())) <= BITS:
            return parts
        scale = scale // 2 or 1


def _same_owner(field: _Field) -> Costs:
    owners: Mapping[int, int] = {}
    if field.same_owner_apart:
        known = sorted({it.owner for it in field.order if it.owner is not None})
        owners = {owner: at for at, owner in enumerate(known)}
    own = [
        owners.get(it.owner, -1 - at) if it.owner is not None else -1 - at
        for at, it in enumerate(field.order)
    ]
    own += [-1 - len(own)] * (field.size - len(own))
    column = np.array(own)
    same: Costs = (column[:, None] == column[None, :]).astype(np.int64)
    np.fill_diagonal(same, 0)
    return same


def _scale(points: Iterable[Fraction]) -> int:
    return min(_LARGEST_SCALE, lcm(*(score.denominator for score in points)))


def _squared_gaps(field: _Field, scale: int) -> Costs:
    scores = [round(field.past.points[entrant.number] * scale) for entrant in field.order]
    scores += [0] * (field.size - len(scores))
    column = np.array(scores, np.int64)
    gaps: Costs = column[:, None] - column[None, :]
    return gaps * gaps


def _floor(squared_gaps: Costs) -> Costs:
    """Returns the least sum of squared gaps of the other pairs, for every pair.

    Without other rules neighbours in the ranking are paired, so that a gap between neighbours
    counts if an odd number of entrants is above it. A pair that is taken out changes this for all
    gaps that it spans.
    """
    steps = np.diagonal(squared_gaps, 1)
    odd = np.arange(len(steps)) % 2 == 0
    least = int(steps[odd].sum())
    sums = np.concatenate([[0], np.cumsum(np.where(odd, -steps, steps))])
    change = sums[None, :] - sums[:, None]
    upper = np.triu(change, 1)
    floor: Costs = least + upper + upper.T
    return floor


def _fold(field: _Field) -> Costs:
    """Returns the squared distance from "top half against bottom half" of the same score group."""
    found = np.zeros((field.size, field.size), np.int64)
    start = 0
    for group in score_groups(field.order, field.past.points):
        places = np.arange(len(group))
        off = (np.abs(places[:, None] - places[None, :]) - len(group) // 2) ** 2
        end = start + len(group)
        found[start:end, start:end] = off
        start = end
    return found


def _lots(size: int, seed: bytes | str) -> Costs:
    random = generator(seed, "lots")
    lots = np.frombuffer(random.randbytes(size * size), np.uint8).reshape(size, size)
    upper = np.triu(lots.astype(np.int64) % _TIES, 1)
    both: Costs = upper + upper.T
    return both


def cost(
    order: Sequence[Entrant],
    past: History,
    pairings: Iterable[tuple[int, ...]],
    parts: Mapping[str, Costs],
    pairs: Sequence[tuple[int, int]],
) -> dict[str, Fraction | int]:
    """Returns the published cost of a pairing; score gaps are exact."""
    found: dict[str, Fraction | int] = {
        name: int(sum(part[pair] for pair in pairs)) for name, part in parts.items()
    }
    found["squared_gaps"] = sum((squared_gap(past, numbers) for numbers in pairings), Fraction(0))
    del found["lot"]
    return found


def squared_gap(past: History, numbers: tuple[int, ...]) -> Fraction:
    """Returns the squared gap of a pair; a bye counts as a meeting with a score of 0."""
    scores = [past.points[number] for number in numbers]
    return (scores[0] - (scores[1] if len(scores) > 1 else 0)) ** 2
