"""Networks: the locations that a set of routes joins, and the routes needed to join more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from heapq import heappop, heappush

from damrak_engine.board import Board, Route
from damrak_engine.cards import COLOURS, WILD
from damrak_engine.scoring import regions


@dataclass(frozen=True, slots=True)
class Path:
    """Routes still to be claimed to join two locations; empty if they are joined already."""

    routes: tuple[Route, ...]

    @property
    def spaces(self) -> int:
        """The number of spaces of the routes, which equals the carts and cards they cost."""
        return sum(route.length for route in self.routes)


class Network:
    """The routes of one seat."""

    def __init__(self, board: Board, owned: int) -> None:
        self._board = board
        self._owned = owned
        self._joined = regions(board, owned)

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes, ordered by id."""
        return tuple(route for route in self._board.routes if self._owned >> route.id & 1)

    @property
    def reached(self) -> frozenset[int]:
        """The locations at the ends of the routes."""
        return frozenset(end for route in self.routes for end in (route.a, route.b))

    @property
    def groups(self) -> tuple[frozenset[int], ...]:
        """The reached locations, one set for each connected component, largest first."""
        masks = {self._joined[location] for location in self.reached}
        parts = [frozenset(i for i in range(mask.bit_length()) if mask >> i & 1) for mask in masks]
        return tuple(sorted(parts, key=lambda part: (-len(part), min(part))))

    def connected(self, a: int, b: int) -> bool:
        """Return whether the routes join locations a and b; every location is joined to itself."""
        return bool(self._joined[a] >> b & 1)

    def path(
        self,
        a: int,
        b: int,
        open_routes: Iterable[Route],
        cost: Callable[[Route], float] = lambda route: route.length,
    ) -> Path | None:
        """Return the cheapest way to join a and b using these routes and own ones, or None.

        Ties are broken in favour of fewer routes. A cost is never negative.
        """
        ways: dict[int, list[Route]] = {}
        for route in open_routes:
            ways.setdefault(route.a, []).append(route)
            ways.setdefault(route.b, []).append(route)
        best: dict[int, tuple[float, int]] = {}
        queue: list[tuple[float, int, int, tuple[int, ...]]] = [(0.0, 0, a, ())]
        while queue:
            spent, steps, here, taken = heappop(queue)
            if self.connected(here, b):
                return Path(tuple(self._board.routes[i] for i in taken))
            if best.get(here, (float("inf"), 0)) <= (spent, steps):
                continue
            group = self._joined[here]
            for location in range(group.bit_length()):
                if group >> location & 1:
                    best[location] = (spent, steps)
                    for route in ways.get(location, ()):
                        there = route.a + route.b - location
                        reached = (spent + cost(route), steps + 1)
                        if reached < best.get(there, (float("inf"), 0)):
                            heappush(queue, (*reached, there, (*taken, route.id)))
        return None


def cards_missing(routes: Iterable[Route], hand: tuple[int, ...]) -> int:
    """Return the number of cards a hand lacks to pay for all these routes with its wilds."""
    spare = list(hand[:COLOURS])
    lacking = 0
    grey = []
    for route in routes:
        if route.is_grey:
            grey.append(route.length)
        else:
            spare[route.colour] -= route.length
    for colour, number in enumerate(spare):
        lacking += max(0, -number)
        spare[colour] = max(0, number)
    return max(0, lacking + _grey_lacking(sorted(grey, reverse=True), spare) - hand[WILD])


def _grey_lacking(lengths: list[int], spare: list[int]) -> int:
    """Return the minimum number of missing cards if each grey route is paid in one colour."""
    if not lengths:
        return 0
    length, rest = lengths[0], lengths[1:]
    best = sum(lengths)
    for number in set(spare):
        used = min(number, length)
        left = spare.copy()
        left[left.index(number)] = number - used
        best = min(best, length - used + _grey_lacking(rest, left))
        if best == 0:
            break
    return best
