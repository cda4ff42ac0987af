"""The value of contracts, both of those on offer and of those that might be drawn."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Final

from damrak.bots.chart import Chart, bits, make_room
from damrak.bots.plan import INFINITE, Plans
from damrak_engine.actions import KEEP_BOTH, KEEP_FIRST, KEEP_SECOND
from damrak_engine.observation import Observation, contract_deals
from damrak_engine.scoring import contract_points, regions

TURN_VALUE: Final = 2.0  # the value of a turn in points
RISK: Final = 0.4  # the part of a contract's points to deduct because it may fail
SPARE_TURNS: Final = 0.8  # the part of the remaining turns available to fulfil a new contract


class Offers:
    """Evaluates contracts on one board, for any of its seats."""

    def __init__(self, chart: Chart, plans: Plans) -> None:
        self._chart = chart
        self._plans = plans
        self._kept: dict[tuple[int, int, int, int, int], float] = {}

    def keep(self, seen: Observation, turns: int) -> int:
        """Return the most valuable choice among the offered contracts, with `turns` turns left."""
        if len(seen.offer) == 1:
            return KEEP_FIRST
        first, second = (1 << i for i in seen.offer)
        choices = {KEEP_FIRST: first, KEEP_SECOND: second, KEEP_BOTH: first | second}
        return max(
            choices, key=lambda choice: self._promise(seen, seen.contracts | choices[choice], turns)
        )

    def of_drawing(self, seen: Observation, free: int, turns: float) -> float:
        """Return the expected points from drawing contracts now, with `turns` turns afterwards."""
        unknown = (1 << len(self._chart.rules.board.contracts)) - 1 & ~seen.contracts
        for deal in contract_deals(seen.dealt):
            for i in deal.ids or ():
                unknown &= ~(1 << i)
        owned, carts = seen.owned[seen.seat], seen.carts[seen.seat]
        key = (owned, free, unknown, int(turns), carts)
        value = self._kept.get(key)
        if value is None:
            make_room(self._kept)
            value = _best_of_two(self._gains(unknown, owned, free, turns, carts))
            self._kept[key] = value
        return value

    def _promise(self, seen: Observation, contracts: int, turns: int) -> float:
        chart = self._chart
        owned = seen.owned[seen.seat]
        free = chart.open_routes(seen)
        plan = self._plans.best(owned, free, contracts, seen.carts[seen.seat], turns)
        done = contract_points(chart.rules.board, owned, contracts)
        done += sum(chart.rules.board.contracts[i].points for i in bits(contracts))
        hoped = (done + plan.gain * (1 - RISK)) / 2 - plan.lost
        return hoped + chart.worth(plan.routes) - TURN_VALUE * chart.turns(plan.routes)

    def _gains(self, unknown: int, owned: int, free: int, turns: float, carts: int) -> list[float]:
        """Return, for each contract that may be drawn, the change of the total if it is kept."""
        board, chart = self._chart.rules.board, self._chart
        joined = regions(board, owned)
        roads = self._roads(owned, free, joined) if owned and free else {}
        gains: list[float] = []
        for contract in board.contracts:
            if not unknown >> contract.id & 1:
                continue
            gain = float(-contract.points)
            if joined[contract.a] >> contract.b & 1:
                gain = float(contract.points)
            elif contract.a in roads and contract.b in roads:
                routes = roads[contract.a] | roads[contract.b]
                needed = chart.turns(routes)
                if chart.spaces(routes) <= carts and needed <= turns * SPARE_TURNS:
                    hoped = contract.points * (1 - RISK) + chart.worth(routes)
                    gain = max(gain, hoped - TURN_VALUE * needed)
            gains.append(gain)
        return gains

    def _roads(self, owned: int, free: int, joined: list[int]) -> dict[int, int]:
        """Return, for each location, the routes still needed to join it to my largest network."""
        ways, costs = self._chart.ways, self._plans.costs
        best = dict.fromkeys(bits(max(joined, key=int.bit_count)), 0.0)
        roads = dict.fromkeys(best, 0)
        queue = [(0.0, location) for location in best]
        heapify(queue)
        while queue:
            spent, here = heappop(queue)
            if spent > best[here]:
                continue
            for there, route in ways[here]:
                if owned >> route & 1:
                    cost, road = spent, roads[here]
                elif free >> route & 1:
                    cost, road = spent + costs[route], roads[here] | 1 << route
                else:
                    continue
                if cost < best.get(there, INFINITE):
                    best[there], roads[there] = cost, road
                    heappush(queue, (cost, there))
        return roads


def _best_of_two(gains: list[float]) -> float:
    """Return the mean, over all pairs that may be drawn, of the best choice: either, or both."""
    if not gains:
        return -INFINITE
    if len(gains) == 1:
        return gains[0]
    gains = sorted(gains)
    # Of two bad ones the later, better one is kept; good ones count in every pair.
    total = sum(gain * (i if gain <= 0 else len(gains) - 1) for i, gain in enumerate(gains))
    return total / (len(gains) * (len(gains) - 1) / 2)
