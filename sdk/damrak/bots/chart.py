"""Lookup tables of a board for bots that search: sets of routes as masks, and their properties.

Bit r of a mask represents route r.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from damrak.view import route_claims
from damrak_engine.observation import Observation
from damrak_engine.rules import Rules

Facts = tuple[int, int, int, int, bool]  # id, its bit, length, colour, goods
MOST_KEPT: Final = 20_000


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, ascending."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


class Chart:
    """Lookup tables that depend only on the rules of a game."""

    def __init__(self, rules: Rules) -> None:
        board = rules.board
        self.rules = rules
        self.routes = board.routes
        self.lengths = [route.length for route in board.routes]
        self.points = [board.route_points[route.length] for route in board.routes]
        self.claims = route_claims(rules)
        self.ways: list[list[tuple[int, int]]] = [[] for _ in board.locations]
        for route in board.routes:
            self.ways[route.a].append((route.b, route.id))
            self.ways[route.b].append((route.a, route.id))
        # Possible payments for each route: (wilds, colour or -1, action).
        self.payments: list[list[tuple[int, int, int]]] = [[] for _ in board.routes]
        for claim in rules.claims:
            self.payments[claim.route].append((claim.wilds, claim.colour, claim.action))
        self._open: dict[int, int] = {}
        self._facts: dict[int, list[Facts]] = {}

    def open_routes(self, seen: Observation) -> int:
        """Return the routes that the seat could claim if it had the cards."""
        carts = self.rules.within_carts[seen.carts[seen.seat]]
        claims = seen.open & ~seen.barred[seen.seat] & carts
        routes = self._open.get(claims)
        if routes is None:
            make_room(self._open)
            routes = sum(1 << i for i, mask in enumerate(self.claims) if mask & claims)
            self._open[claims] = routes
        return routes

    def facts(self, routes: int) -> list[Facts]:
        """Return the properties of these routes that matter for decisions, ordered by id."""
        facts = self._facts.get(routes)
        if facts is None:
            make_room(self._facts)
            facts = [
                (i, 1 << i, self.lengths[i], self.routes[i].colour, self.routes[i].goods)
                for i in bits(routes)
            ]
            self._facts[routes] = facts
        return facts

    def spaces(self, routes: int) -> int:
        """Return the number of spaces of these routes together."""
        return sum([self.lengths[route] for route in bits(routes)])

    def worth(self, routes: int) -> int:
        """Return the points that claiming these routes scores."""
        return sum([self.points[route] for route in bits(routes)])

    def turns(self, routes: int) -> float:
        """Return the number of turns needed to draw the cards for these routes and claim them."""
        return self.spaces(routes) / 2 + routes.bit_count()

    def cheapest_payment(self, route: int, legal: int, hand: tuple[int, ...]) -> int:
        """Return the legal claim of a route with the fewest wilds, in the colour held most."""
        payable = [paid for paid in self.payments[route] if legal >> paid[2] & 1]
        return min(payable, key=lambda paid: (paid[0], -hand[paid[1]] if paid[1] >= 0 else 0))[2]


@cache
def chart_of(rules: Rules) -> Chart:
    """Return the chart of a game, created once."""
    return Chart(rules)


def make_room(kept: dict[Any, Any]) -> None:
    """Empty a cache that has grown too large."""
    if len(kept) >= MOST_KEPT:
        kept.clear()
