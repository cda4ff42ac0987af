"""Design checks for well-formed board files that were written by hand."""

from __future__ import annotations

from collections.abc import Iterator

from damrak_engine.board import Board
from damrak_engine.drawing.clarity import Flaw
from damrak_engine.generator.contracts import UNREACHED, shortest_paths


def design_flaws(board: Board) -> Iterator[Flaw]:
    """Yield unreachable locations, disproportionate contracts and a lack of goods cards."""
    far = shortest_paths(
        len(board.locations), [(route.a, route.b, route.length) for route in board.routes]
    )
    names = [location.name for location in board.locations]
    for i, name in enumerate(names):
        if far[0][i] == UNREACHED:
            yield Flaw(f"no way leads from {names[0]} to {name}", True, None)
    yield from _contract_flaws(board, names, far)
    for seats in range(board.players[0], board.players[1] + 1):
        routes = claimable_goods(board, seats)
        if routes > board.goods_cards:
            text = f"with {seats} players {routes} routes give goods cards; there are fewer (C-e)"
            yield Flaw(text, False, None)


def claimable_goods(board: Board, seats: int) -> int:
    """Return how many routes with goods this many players can claim in total (R37, R38)."""
    marked = {route.id for route in board.routes if route.goods}
    if seats > 2:
        return len(marked)
    second = {r.id for r in board.routes if r.twin in marked and r.twin < r.id and r.goods}
    return len(marked - second)


def _contract_flaws(board: Board, names: list[str], far: list[list[int]]) -> Iterator[Flaw]:
    seen = set()
    for contract in board.contracts:
        text, ends = board.contract_name(contract.id), frozenset((contract.a, contract.b))
        if ends in seen:
            yield Flaw(f"there are two contracts {text}", False, None)
        seen.add(ends)
        spaces = far[contract.a][contract.b]
        if contract.points != spaces < UNREACHED:
            yield Flaw(f"contract {text}: the shortest way has {spaces} spaces", False, None)
    for i in sorted(set(range(len(names))) - {end for ends in seen for end in ends}):
        yield Flaw(f"{names[i]} is in no contract", False, None)
