"""A board prepared for analysis: sets of routes as bit masks, and cheapest paths.

In a mask of routes, bit r stands for route r.
"""

from __future__ import annotations

from functools import cache
from heapq import heappop, heappush
from typing import Final

from damrak_engine.actions import FIRST_CLAIM
from damrak_engine.position import Position
from damrak_engine.rules import Rules

MOST_KEPT: Final = 50_000
_FAR: Final = float("inf")


class Ground:
    """Tables derived from the rules of a game, and cached results.

    The cached results do not depend on the order of calls, so the answers are deterministic.
    """

    def __init__(self, rules: Rules) -> None:
        board = rules.board
        self.rules = rules
        self.routes = board.routes
        self.lengths = [route.length for route in board.routes]
        self.points = [board.route_points[route.length] for route in board.routes]
        self.goods = [int(route.goods) for route in board.routes]
        self.colours = [route.colour for route in board.routes]
        self.claims = [0] * len(board.routes)
        # The possible payments for a route: (wilds, colour or -1, action), fewest wilds first.
        self.payments: list[list[tuple[int, int, int]]] = [[] for _ in board.routes]
        for claim in rules.claims:
            self.claims[claim.route] |= 1 << claim.action
            self.payments[claim.route].append((claim.wilds, claim.colour, claim.action))
        for payments in self.payments:
            payments.sort()
        # One turn for the claim and half a turn per card, less a discount for its points.
        self.costs = [
            max(0.2, 1 + 0.5 * length - 0.25 * points - 0.3 * goods)
            for length, points, goods in zip(self.lengths, self.points, self.goods, strict=True)
        ]
        self.ways: list[list[tuple[int, int, float]]] = [[] for _ in board.locations]
        for route in board.routes:
            self.ways[route.a].append((route.b, 1 << route.id, self.costs[route.id]))
            self.ways[route.b].append((route.a, 1 << route.id, self.costs[route.id]))
        self._open: dict[int, int] = {}
        self._roads: dict[tuple[int, int, int, int], int] = {}

    def free(self, state: Position, seat: int) -> int:
        """Return the routes that this seat may still claim, as a mask."""
        claims = state.open & ~state.barred[seat] & self.rules.within_carts[state.carts[seat]]
        routes = self._open.get(claims)
        if routes is None:
            _make_room(self._open)
            routes = sum([1 << i for i, mask in enumerate(self.claims) if mask & claims])
            self._open[claims] = routes
        return routes

    def road(self, owned: int, free: int, a: int, b: int) -> int:
        """Return the routes to claim on the cheapest path from a to b; -1 if there is none."""
        key = (owned, free, a, b)
        found = self._roads.get(key)
        if found is None:
            _make_room(self._roads)
            found = self._roads[key] = self._search(owned, free, a, b)
        return found

    def spaces(self, routes: int) -> int:
        """Return the total number of spaces of these routes."""
        total = 0
        lengths = self.lengths
        while routes:
            total += lengths[(routes & -routes).bit_length() - 1]
            routes &= routes - 1
        return total

    def worth(self, routes: int) -> int:
        """Return the points that these routes score."""
        total = 0
        points = self.points
        while routes:
            total += points[(routes & -routes).bit_length() - 1]
            routes &= routes - 1
        return total

    def route_of(self, action: int) -> int:
        """Return the route of this claim."""
        return self.rules.claims[action - FIRST_CLAIM].route

    def _search(self, owned: int, free: int, a: int, b: int) -> int:
        best = {a: 0.0}
        queue = [(0.0, a, 0)]
        ways = self.ways
        while queue:
            spent, here, routes = heappop(queue)
            if here == b:
                return routes
            if spent > best[here]:
                continue
            for there, bit, cost in ways[here]:
                if owned & bit:
                    far, road = spent, routes
                elif free & bit:
                    far, road = spent + cost, routes | bit
                else:
                    continue
                if far < best.get(there, _FAR):
                    best[there] = far
                    heappush(queue, (far, there, road))
        return -1


def _make_room(kept: dict[int, int] | dict[tuple[int, int, int, int], int]) -> None:
    if len(kept) >= MOST_KEPT:
        kept.clear()


@cache
def ground_of(rules: Rules) -> Ground:
    """Return the ground of a game, cached."""
    return Ground(rules)
