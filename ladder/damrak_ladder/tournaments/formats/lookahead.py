"""Pairings after which the remaining rounds can still be paired without a rematch.

Up to half as many rounds as entrants, any pairing leaves enough opponents (Dirac's theorem). Beyond
that a pairing can leave two groups of odd size that have met all others. So pairings are tried
in the order of their cost (Murty's ranking) until one leaves a future.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import count
from random import Random
from typing import Final

import numpy as np
import numpy.typing as npt

from damrak_ladder.tournaments.formats.matching import Costs, Pairs, Weights, fold, perfect_matching
from damrak_ladder.tournaments.formats.randomness import generator

Allowed = npt.NDArray[np.bool_]

MOST_NODES: Final = 64
"""Larger fields are not looked ahead. `plans` warns if they have more rounds than are certain."""

_TRIES: Final = 12
_STEPS: Final = 4000
_DEEPEST: Final = 600  # pairings that a search may choose, because each is a call within the last
_RANKED: Final = 300


def safe_rounds(groups: Sequence[int]) -> int:
    """Returns how many rounds need no rematch and no pair within a group of these sizes.

    A node has at most `nodes - group` partners. The largest groups together have their meetings
    with each other, and those with the rest, whose nodes have one meeting a round each. Not every
    field reaches the least of these bounds, so one round less is safe.
    """
    sizes = sorted(groups, reverse=True)
    nodes, largest = sum(sizes), sizes[0]
    if largest == 1:
        return nodes - 1
    bounds = [nodes - largest]
    for taken in range(1, len(sizes) + 1):
        together = sum(sizes[:taken])
        if 2 * together > nodes:
            meetings = sum(size * (together - size) for size in sizes[:taken])
            bounds.append(meetings // (2 * together - nodes))
    return min(bounds) - 1


def matching_with_future(
    parts: Sequence[Costs],
    allowed: Allowed,
    fresh: Allowed,
    rounds_left: int,
    seed: bytes | str,
    floor: Costs | None = None,
    unit: int = 1,
) -> Pairs | None:
    """Returns the cheapest pairing, if possible one after which `rounds_left` fresh ones exist.

    `fresh` marks pairs that cost nothing in any part that matters more than score gaps. Returns
    None if no pairing is allowed at all.
    """
    weights = fold(parts)
    best = perfect_matching(weights, allowed, floor, unit)
    if best is None or not _is_close(fresh, rounds_left):
        return best
    if not all(fresh[pair] for pair in best):
        return best  # a rematch is unavoidable already
    random = generator(seed, "look-ahead")
    for found in Ranking(weights, fresh):
        if has_future(_without(fresh, found), rounds_left, random):
            return found
    return best


def _is_close(fresh: Allowed, rounds_left: int) -> bool:
    nodes = len(fresh)
    if not rounds_left or nodes > MOST_NODES:
        return False
    least = int(fresh.sum(axis=1).min())
    return least - rounds_left < nodes / 2


def _without(allowed: Allowed, pairs: Pairs) -> Allowed:
    left = allowed.copy()
    for one, other in pairs:
        left[one, other] = left[other, one] = False
    return left


def has_future(fresh: Allowed, rounds: int, random: Random) -> bool:
    """Returns whether `rounds` pairings without a common pair were found.

    Quick tries by random matchings first, then a search of bounded length and depth. A search that
    ends without an answer counts as no.
    """
    if rounds <= 0:
        return True
    if int(fresh.sum(axis=1).min()) < rounds:
        return False
    if any(_try(fresh, rounds, random) for _ in range(_TRIES)):
        return True
    return rounds * len(fresh) // 2 <= _DEEPEST and _search(fresh, rounds, [_STEPS])


def _try(fresh: Allowed, rounds: int, random: Random) -> bool:
    left = fresh
    nodes = len(left)
    for _ in range(rounds):
        drawn = np.frombuffer(random.randbytes(nodes * nodes), np.uint8).reshape(nodes, nodes)
        lots: Weights = drawn.astype(object)
        found = perfect_matching(lots + lots.T, left)
        if found is None:
            return False
        left = _without(left, found)
    return True


def _search(fresh: Allowed, rounds: int, steps: list[int]) -> bool:
    """Colours edges with rounds, always for the node with the fewest spare opponents."""
    if rounds <= 0:
        return True
    nodes = list(range(len(fresh)))
    return _match_rest(fresh, rounds, nodes, [], steps)


def _match_rest(
    fresh: Allowed, rounds: int, nodes: list[int], pairs: Pairs, steps: list[int]
) -> bool:
    if steps[0] <= 0:
        return False
    steps[0] -= 1
    if not nodes:
        left = _without(fresh, pairs)
        if int(left.sum(axis=1).min()) < rounds - 1:
            return False
        return _search(left, rounds - 1, steps)
    first = min(nodes, key=lambda node: sum(bool(fresh[node, it]) for it in nodes))
    for other in nodes:
        if fresh[first, other]:
            rest = [node for node in nodes if node not in (first, other)]
            if _match_rest(fresh, rounds, rest, [*pairs, (first, other)], steps):
                return True
    return False


class Ranking:
    """Iterates over perfect matchings in the order of their weight, up to a limit."""

    def __init__(self, weights: Weights, allowed: Allowed) -> None:
        self._weights = weights
        self._heap: list[tuple[int, int, Pairs, int, Allowed]] = []
        self._serial = count()
        self._left = _RANKED
        self._push(allowed, 0, [])

    def __iter__(self) -> Ranking:
        return self

    def __next__(self) -> Pairs:
        if not self._heap or not self._left:
            raise StopIteration
        self._left -= 1
        _, _, found, fixed, allowed = heapq.heappop(self._heap)
        for at in range(fixed, len(found)):
            self._push(_without(allowed, [found[at]]), at, found[:at])
        return sorted(found)

    def _push(self, allowed: Allowed, fixed: int, kept: Pairs) -> None:
        """Add the best matching that contains the kept pairs and otherwise allowed ones."""
        narrowed = allowed.copy()
        for one, other in kept:
            narrowed[one, :] = narrowed[:, one] = narrowed[other, :] = narrowed[:, other] = False
            narrowed[one, other] = narrowed[other, one] = True
        found = perfect_matching(self._weights, narrowed)
        if found is None:
            return
        rest = [pair for pair in found if pair not in kept]
        weight = sum(self._weights[pair] for pair in found)
        heapq.heappush(self._heap, (weight, next(self._serial), [*kept, *rest], fixed, narrowed))
