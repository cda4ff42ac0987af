"""What the rules say about the best move of a puzzle: points, goods, contracts and free routes.

Nothing here is hidden from the seat that moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from damrak_engine.replay import Replay
from damrak_engine.scoring import split_contracts
from damrak_engine.state import State
from damrak_engine.verify import fold
from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.puzzle_codes import (
    BringsGoods,
    FreeRoutes,
    FulfilsContract,
    ScoresAtOnce,
)
from damrak_ladder.puzzles.models import Puzzle


def reasons_of(puzzle: Puzzle, replay: Replay) -> tuple[Message, ...]:
    """Return the facts about the best move; none for moves other than claims and open cards.

    Raises:
        ReplayError: the replay is not valid.
    """
    best = puzzle.choices[puzzle.best]
    if best["event"] not in ("take", "claim"):
        return ()
    positions = (state for count, state in fold(replay) if count > puzzle.moment)
    state = next(positions, None)
    if state is None:
        return ()
    about = _about_card if best["event"] == "take" else _about_claim
    return tuple(about(state, puzzle.seat, best))


def _about_card(state: State, seat: int, best: dict[str, Any]) -> Iterator[Message]:
    possible = state.open & ~state.barred[seat]
    free = {one.route for one in state.rules.claims if possible >> one.action & 1}
    routes = state.rules.board.routes
    if count := sum(routes[route].colour_word == best["card"] for route in free):  # 0 for a wild
        yield FreeRoutes(count)


def _about_claim(state: State, seat: int, best: dict[str, Any]) -> Iterator[Message]:
    board = state.rules.board
    route = board.routes[best["route"]]
    yield ScoresAtOnce(board.route_points[route.length])
    if route.goods and (state.goods_left or state.rules.virtual_goods):
        yield BringsGoods()
    owned, held = state.owned[seat], state.contracts[seat]
    before = split_contracts(board, owned, held)[0]
    for number in split_contracts(board, owned | 1 << route.id, held)[0]:
        if number not in before:
            contract = board.contracts[number]
            a, b = board.locations[contract.a].name, board.locations[contract.b].name
            yield FulfilsContract(f"{a} \N{EN DASH} {b} ({contract.points})")
