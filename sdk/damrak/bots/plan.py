"""Plans: which routes to build for which contracts.

A plan joins both ends of all worthwhile contracts at low cost. Finding the cheapest such network is
hard (the Steiner forest problem). With a handful of contracts a good approximation connects them
one after the other, each by the cheapest path when all routes chosen so far are free, and tries
several orders.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import permutations
from typing import Final

from damrak.bots.chart import Chart, bits, make_room

ALL_ORDERS: Final = 3  # with more contracts than this, only two orders are tried
MOST_WANTED: Final = 6  # with more contracts than this, the others are left for later
INFINITE: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Plan:
    """Routes to claim, as a mask."""

    routes: int
    gain: int  # increase of the total: each contract changes from minus to plus its points
    lost: int  # points of the abandoned contracts


NOTHING: Final = Plan(0, 0, 0)


class Plans:
    """Finds plans on one board, and caches them."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self._kept: dict[tuple[int, int, int, int, int], Plan] = {}
        # One turn for the claim and half a turn for each card, less the value of the points scored.
        self.costs = [
            max(0.2, 1 + 0.5 * route.length - 0.25 * points - 0.3 * route.goods)
            for route, points in zip(chart.routes, chart.points, strict=True)
        ]

    def best(self, owned: int, free: int, contracts: int, carts: int, turns: int) -> Plan:
        """Return the best plan for these contracts with this number of carts and turns.

        `owned` and `free` are masks of routes: those of the seat, and those that it can still
        claim.
        """
        key = (owned, free, contracts, carts, turns)
        plan = self._kept.get(key)
        if plan is None:
            make_room(self._kept)
            plan = self._kept[key] = self._find(owned, free, contracts, carts, turns)
        return plan

    def still_good(self, plan: Plan, owned: int, free: int, turns: int) -> Plan | None:
        """Return what is left of a plan after a part of it was claimed.

        Returns None if the plan is finished or cannot be completed any more.
        """
        routes = plan.routes & ~owned
        if routes == plan.routes:
            return plan if self._fits(routes, free, turns) else None
        if not routes or not self._fits(routes, free, turns):
            return None
        return Plan(routes, plan.gain, plan.lost)

    def _fits(self, routes: int, free: int, turns: int) -> bool:
        return not routes & ~free and self._chart.turns(routes) <= turns

    def cheapest_way(self, owned: int, free: int, a: int, b: int) -> tuple[float, int] | None:
        """Return cost and routes (also owned ones) of the cheapest path from a to b, or None."""
        ways, costs = self._chart.ways, self.costs
        best = {a: 0.0}
        back: dict[int, tuple[int, int]] = {}
        queue = [(0.0, a)]
        while queue:
            spent, here = heappop(queue)
            if here == b:
                routes = 0
                while here != a:
                    here, route = back[here]
                    routes |= 1 << route
                return spent, routes
            if spent > best[here]:
                continue
            for there, route in ways[here]:
                if owned >> route & 1:
                    cost = spent
                elif free >> route & 1:
                    cost = spent + costs[route]
                else:
                    continue
                if cost < best.get(there, INFINITE):
                    best[there] = cost
                    back[there] = (here, route)
                    heappush(queue, (cost, there))
        return None

    def _find(self, owned: int, free: int, contracts: int, carts: int, turns: int) -> Plan:
        board, chart = self._chart.rules.board, self._chart
        prices: dict[int, float] = {}
        lost = 0
        for i in bits(contracts):
            contract = board.contracts[i]
            way = self.cheapest_way(owned, free, contract.a, contract.b)
            if way is None:
                lost += contract.points
            elif way[1] & ~owned:
                prices[i] = way[0] / (contract.points or 0.5)
        wanted = sorted(sorted(prices, key=lambda i: prices[i])[:MOST_WANTED])
        wanted.sort(key=lambda i: -board.contracts[i].points)
        while wanted:
            routes = self._network(owned, free, wanted)
            if chart.spaces(routes) <= carts and chart.turns(routes) <= turns:
                return Plan(routes, 2 * sum(board.contracts[i].points for i in wanted), lost)
            given_up = self._least_missed(owned, free, wanted, carts, turns)
            wanted.remove(given_up)
            lost += board.contracts[given_up].points
        return Plan(0, 0, lost)

    def _network(self, owned: int, free: int, wanted: list[int]) -> int:
        """Return routes that join the ends of all these contracts, each of which is possible."""
        contracts = self._chart.rules.board.contracts
        cheapest, found = INFINITE, 0
        every_order = len(wanted) <= ALL_ORDERS
        for order in permutations(wanted) if every_order else (wanted, wanted[::-1]):
            chosen, total = owned, 0.0
            for i in order:
                way = self.cheapest_way(chosen, free, contracts[i].a, contracts[i].b)
                assert way is not None
                total += way[0]
                chosen |= way[1]
            if total < cheapest:
                cheapest, found = total, chosen & ~owned
        return found

    def _least_missed(
        self, owned: int, free: int, wanted: list[int], carts: int, turns: int
    ) -> int:
        """Return the contract whose removal leaves the most valuable set."""
        chart = self._chart

        def without(i: int) -> tuple[bool, float]:
            rest = [other for other in wanted if other != i]
            routes = self._network(owned, free, rest) if rest else 0
            fits = chart.spaces(routes) <= carts and chart.turns(routes) <= turns
            points = sum(chart.rules.board.contracts[other].points for other in rest)
            return fits, 2 * points - 2 * chart.turns(routes)

        return max(wanted, key=without)
