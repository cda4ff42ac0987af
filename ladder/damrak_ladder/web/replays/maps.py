"""Contracts as small maps: their ends, the routes built or missing, and the shortest way.

Lines differ by how they are drawn, not by colour alone. Their styles are in `viewer.css`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from heapq import heappop, heappush
from typing import Final

from django.utils.safestring import SafeString, mark_safe

from damrak_engine.board import Board
from damrak_engine.drawing.canals import rings, smooth_path
from damrak_ladder.web.replays.board_picture import Plan, plan_of

_OUTLINE: Final = "contract-map"
_END: Final = 26  # radius of the ends


def outline(board: Board) -> SafeString:
    """Return the board shared by all maps of a page, as an SVG that is invisible by itself."""
    plan = plan_of(board)
    waters = "".join(
        f'<path class="map-water" d="{smooth_path(ring)}"/>' for ring in rings(plan.sheet.places)
    )
    beds = _lines(plan, range(len(board.routes)))
    dots = "".join(f'<circle cx="{at.x}" cy="{at.y}" r="9"/>' for at in plan.sheet.places)
    return mark_safe(  # noqa: S308 - only numbers of ours
        f'<svg class="map-outline" aria-hidden="true"><defs><g id="{_OUTLINE}">{waters}'
        f'<path class="map-routes" d="{beds}"/><g class="map-places">{dots}</g></g></defs></svg>'
    )


def contract_map(
    board: Board,
    contract: int,
    seat: int,
    owned: Collection[int],
    way: Collection[int],
    missing: Collection[int],
) -> SafeString:
    """Return the map of one contract of a seat.

    It needs the `outline` on the same page, which also provides the caption.
    """
    plan = plan_of(board)
    ends = board.contracts[contract]
    frame = plan.frame
    width, height = plan.size
    others = set(owned) - set(way)
    # A second line over an existing one would carry no information.
    joined = _pairs(board, (*owned, *way, *missing))
    shortest = [i for i in shortest_way(board, ends.a, ends.b) if not _pairs(board, [i]) <= joined]
    parts = [
        f'<use href="#{_OUTLINE}"/>',
        _path(plan, "map-under", others),
        _path(plan, f"map-own line-{seat}", others),
        _path(plan, "map-under map-way", way),
        _path(plan, f"map-way line-{seat}", way),
        _path(plan, "map-missing", missing),
        _path(plan, "map-shortest", shortest),
    ]
    for place in (ends.a, ends.b):
        at = plan.sheet.places[place]
        parts.append(f'<circle class="map-end" cx="{at.x}" cy="{at.y}" r="{_END}"/>')
    return mark_safe(  # noqa: S308 - only numbers of ours
        f'<svg class="map" viewBox="{frame.left} {frame.top} {width} {height}" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def shortest_way(board: Board, start: int, goal: int) -> list[int]:
    """Return the way with the fewest spaces, then the fewest routes, on an empty board."""
    ways: list[list[tuple[int, int, int]]] = [[] for _ in board.locations]
    for route in board.routes:
        ways[route.a].append((route.b, route.length, route.id))
        ways[route.b].append((route.a, route.length, route.id))
    waiting: list[tuple[int, int, int, list[int]]] = [(0, 0, start, [])]
    done: set[int] = set()
    while waiting:
        spaces, claims, here, came = heappop(waiting)
        if here == goal:
            return came
        if here in done:
            continue
        done.add(here)
        for there, length, route_id in ways[here]:
            if there not in done:
                heappush(waiting, (spaces + length, claims + 1, there, [*came, route_id]))
    return []


def _path(plan: Plan, name: str, routes: Collection[int]) -> str:
    return f'<path class="{name}" d="{_lines(plan, routes)}"/>' if routes else ""


def _lines(plan: Plan, routes: Iterable[int]) -> str:
    """Return an SVG path that joins each pair of places of these routes once."""
    places = plan.sheet.places
    return "".join(
        f"M{places[a].x} {places[a].y}L{places[b].x} {places[b].y}"
        for a, b in sorted(_pairs(plan.board, routes))
    )


def _pairs(board: Board, routes: Iterable[int]) -> set[tuple[int, int]]:
    return {(board.routes[i].a, board.routes[i].b) for i in routes}
