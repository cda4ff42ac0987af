"""The contract deck: pairs of locations, worth as many points as their shortest path has spaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from damrak_engine.generator.draws import Draws
from damrak_engine.generator.plan import Plan

# How many contracts of each value there are among 24, as on amsterdam.
VALUES: Final = (2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 8, 8, 9)
DEAREST: Final = 3
TOP_VALUE: Final = 12
FEWEST: Final = 24
MOST: Final = 60
UNREACHED: Final = 10**6


class Errand(NamedTuple):
    """A contract to be."""

    a: int
    b: int
    points: int


def deck_size(locations: int) -> int:
    """How many contracts a board of so many locations has."""
    return min(MOST, max(FEWEST, 3 * locations // 2))


def write_contracts(draws: Draws, plan: Plan) -> list[Errand]:
    """A deck in which every location occurs about equally often, cheapest contracts first."""
    locations = len(plan.names)
    far = shortest_paths(locations, plan.spans())
    pairs = [(a, b) for b in range(locations) for a in range(b) if far[a][b] >= VALUES[0]]
    luck = {pair: i for i, pair in enumerate(draws.shuffled(pairs))}
    used = [0] * locations
    deck: list[Errand] = []
    for wish in _wishes(deck_size(locations), max(map(max, far))):
        a, b = min(
            luck,
            key=lambda p: (
                2 * abs(far[p[0]][p[1]] - wish) + 3 * (used[p[0]] + used[p[1]]),
                luck[p],
            ),
        )
        del luck[a, b]
        used[a] += 1
        used[b] += 1
        deck.append(Errand(a, b, far[a][b]))
    return sorted(deck, key=lambda errand: (errand.points, errand.a, errand.b))


def shortest_paths(locations: int, ways: Iterable[tuple[int, int, int]]) -> list[list[int]]:
    """The spaces between any two locations by the shortest path, or UNREACHED.

    `ways` are (a, b, length).
    """
    far = [[0 if a == b else UNREACHED for b in range(locations)] for a in range(locations)]
    for a, b, length in ways:
        far[a][b] = far[b][a] = min(far[a][b], length)
    for k in range(locations):
        for row in far:
            to_k = row[k]
            for b in range(locations):
                row[b] = min(row[b], to_k + far[k][b])
    return far


def _wishes(count: int, farthest: int) -> list[int]:
    """The values of amsterdam spread over so many contracts, dearest first.

    Where there is farther to go than on amsterdam, the dearest ones go there.
    """
    wishes = [VALUES[i * len(VALUES) // count] for i in reversed(range(count))]
    for i in range(DEAREST):
        wishes[i] = max(wishes[i], min(TOP_VALUE, farthest - 2) - i)
    return wishes
