"""The sources of each seat's points, and the paths of its contracts."""

from __future__ import annotations

from typing import Any

from damrak_engine.replay import Replay
from damrak_engine.scoring import contract_points
from damrak_ladder.analyses.board_index import Ground, ground_of
from damrak_ladder.analyses.course import Step


def points_of(replay: Replay, steps: list[Step]) -> list[dict[str, Any]]:
    """Return for each seat its points by source, and its contracts as maps, as JSON objects."""
    end = steps[-1].state
    ground = ground_of(end.rules)
    found = []
    for seat, came in enumerate(replay.result.seats):
        listed = replay.board.contracts
        owned = end.owned[seat]
        lengths = [r.length for r in replay.board.routes if owned >> r.id & 1]
        found.append(
            {
                "total": came.total,
                "routes": came.routes,
                "fulfilled": sum(listed[i].points for i in came.fulfilled),
                "failed": -sum(listed[i].points for i in came.failed),
                "goods": came.goods,
                "goods_cards": came.goods_cards,
                "carts_left": came.carts_left,
                "lengths": {str(n): lengths.count(n) for n in sorted(set(lengths))},
                "contracts": [
                    _contract(ground, steps, seat, i, i in came.fulfilled)
                    for i in sorted((*came.fulfilled, *came.failed))
                ],
            }
        )
    return found


def _contract(
    ground: Ground, steps: list[Step], seat: int, number: int, is_done: bool
) -> dict[str, Any]:
    """Return a contract: the routes that fulfil it and since when, or the missing routes."""
    board = ground.rules.board
    contract = board.contracts[number]
    end = steps[-1].state
    owned = end.owned[seat]
    if is_done:
        road = ground.road(0, owned, contract.a, contract.b)
        return {
            "contract": number,
            "points": contract.points,
            "routes": _listed(road),
            "moment": _since(steps, seat, number),
        }
    free = sum(
        1 << i for i, mask in enumerate(ground.claims) if mask & end.open & ~end.barred[seat]
    )
    missing = ground.road(owned, free, contract.a, contract.b)
    return {
        "contract": number,
        "points": -contract.points,
        "missing": None if missing < 0 else _listed(missing),
        "spaces": None if missing < 0 else ground.spaces(missing),
    }


def _since(steps: list[Step], seat: int, number: int) -> int:
    """Return the moment since which the seat had this contract and had fulfilled it."""
    low, high = 0, len(steps) - 1
    while low < high:  # a fulfilled contract remains fulfilled
        middle = (low + high) // 2
        if _is_fulfilled(steps[middle], seat, number):
            high = middle
        else:
            low = middle + 1
    return steps[low].moment


def _is_fulfilled(step: Step, seat: int, number: int) -> bool:
    state = step.state
    if not state.contracts[seat] >> number & 1:
        return False
    return contract_points(state.rules.board, state.owned[seat], 1 << number) > 0


def _listed(routes: int) -> list[int]:
    return [i for i in range(routes.bit_length()) if routes >> i & 1]
