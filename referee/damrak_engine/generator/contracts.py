"""Contract deck: pairs of locations, worth one point per space of their shortest path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from damrak_engine.generator.draws import Draws
from damrak_engine.generator.plan import Plan

# The values of 24 contracts, as on amsterdam.
VALUES: Final = (2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 8, 8, 9)
DEAREST: Final = 3
TOP_VALUE: Final = 12
FEWEST: Final = 24
MOST: Final = 60
UNREACHED: Final = 10**6


class Errand(NamedTuple):
    """A planned contract."""

    a: int
    b: int
    points: int


def deck_size(locations: int) -> int:
    """Return the number of contracts of a board with this many locations."""
    return min(MOST, max(FEWEST, 3 * locations // 2))


def write_contracts(draws: Draws, plan: Plan) -> list[Errand]:
    """Return a deck that uses all locations about equally often, cheapest contracts first."""
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
    """Return the spaces of the shortest path between any two locations, or UNREACHED.

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
    """Return the values of amsterdam spread over `count` contracts, most valuable first.

    If paths are longer than on amsterdam, the most valuable contracts use them.
    """
    wishes = [VALUES[i * len(VALUES) // count] for i in reversed(range(count))]
    for i in range(DEAREST):
        wishes[i] = max(wishes[i], min(TOP_VALUE, farthest - 2) - i)
    return wishes
