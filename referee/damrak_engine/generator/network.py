"""Network of neighbouring locations: planar, without dead ends, thinned to be readable."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Final, TypeAlias

from damrak_engine.drawing.geometry import Point, cross, dot, is_near, square
from damrak_engine.generator.draws import Draws

Pair: TypeAlias = tuple[int, int]

CLEARANCE: Final = 45  # between a route and a location it only passes
SHARPEST: Final = 86  # hundredths: the cosine of the sharpest angle between two routes
LONGEST: Final = 225  # hundredths of the median distance


def neighbours(draws: Draws, spots: Sequence[Point], wanted: int) -> list[Pair] | None:
    """Return about `wanted` pairs of neighbours, or None if these places allow no good network.

    No two pairs cross, none passes near a third location, and every location can be reached from
    every other in two ways that share no pair.
    """
    pairs = _triangulation(spots)
    if _has_bridge(pairs, len(spots)):
        return None
    middle = sorted(square(spots[a], spots[b]) for a, b in pairs)[len(pairs) // 2]
    limit = middle * LONGEST * LONGEST // 10_000
    for pair in sorted(pairs, key=lambda p: -square(spots[p[0]], spots[p[1]])):
        too_long = square(spots[pair[0]], spots[pair[1]]) > limit
        if (too_long or _is_sharp(spots, pair, pairs)) and not drop(pair, pairs, len(spots)):
            return None
    thin(draws, spots, pairs, wanted)
    return pairs


def thin(draws: Draws, spots: Sequence[Point], pairs: list[Pair], wanted: int) -> None:
    """Remove pairs, preferably long ones, until `wanted` are left or none can be removed."""
    spare = {(a, b): isqrt(square(spots[a], spots[b])) * draws.between(1, 4) for a, b in pairs}
    for pair in sorted(pairs, key=lambda p: (-spare[p], p)):
        if len(pairs) <= wanted:
            break
        drop(pair, pairs, len(spots))


def drop(pair: Pair, pairs: list[Pair], locations: int) -> bool:
    """Remove a pair and return True, unless that splits the network or leaves a bridge."""
    rest = [other for other in pairs if other != pair]
    if _has_bridge(rest, locations):
        return False
    pairs[:] = rest
    return True


def _triangulation(spots: Sequence[Point]) -> list[Pair]:
    count = len(spots)
    found: list[Pair] = []
    candidates = sorted((square(spots[a], spots[b]), a, b) for b in range(count) for a in range(b))
    for _, a, b in candidates:
        way = spots[a], spots[b]
        if not any(
            is_near(spots[k], way, CLEARANCE) for k in range(count) if k not in (a, b)
        ) and not any(cross(way, (spots[c], spots[d])) for c, d in found if not {a, b} & {c, d}):
            found.append((a, b))
    return found


def _is_sharp(spots: Sequence[Point], pair: Pair, pairs: Sequence[Pair]) -> bool:
    """Return whether a shorter pair leaves one of its ends in almost the same direction."""
    own = square(spots[pair[0]], spots[pair[1]])
    for at, to in (pair, pair[::-1]):
        for other in pairs:
            if other == pair or at not in other:
                continue
            third = other[0] if other[1] == at else other[1]
            length = square(spots[at], spots[third])
            along = dot(spots[at], spots[to], spots[third])
            if length <= own and along > 0 and (100 * along) ** 2 > SHARPEST**2 * own * length:
                return True
    return False


def _has_bridge(pairs: Sequence[Pair], count: int) -> bool:
    """Return whether the network is split, or would be without one of its pairs."""
    beside: list[list[int]] = [[] for _ in range(count)]
    for a, b in pairs:
        beside[a].append(b)
        beside[b].append(a)
    seen = [-1] * count  # the order in which each location was found
    low = [0] * count  # the earliest location that can be reached without the pair that led here
    found = 0
    path = [(0, -1)]
    seen[0] = 0
    nexts = [iter(others) for others in beside]
    while path:
        at, before = path[-1]
        to = next(nexts[at], None)
        if to is None:
            path.pop()
            if before >= 0:
                low[before] = min(low[before], low[at])
                if low[at] > seen[before]:
                    return True
        elif seen[to] < 0:
            found += 1
            seen[to] = low[to] = found
            path.append((to, at))
        elif to != before:
            low[at] = min(low[at], seen[to])
    return found + 1 < count
