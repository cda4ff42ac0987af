"""Outcomes of the contracts of a seat, in words and as maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from damrak_engine.board import Board
from damrak_ladder.web.replays.board_picture import owners_at
from damrak_ladder.web.replays.maps import contract_map


@dataclass(frozen=True, slots=True)
class Contract:
    """The outcome of a contract."""

    text: str
    is_done: bool
    is_lost: bool  # at the end no way was possible
    way: str  # the routes that fulfil it, or that were missing
    moment: int | None
    map: SafeString


def contracts_of(
    board: Board, seat: int, analysed: list[dict[str, Any]], said: dict[str, Any]
) -> list[Contract]:
    """Return all contracts of a seat, with the findings of its analysis."""
    owners = owners_at(said["moments"], len(said["moments"]))
    owned = {route for route, owner in owners.items() if owner == seat}
    return [_contract(board, seat, one, owned, said) for one in analysed]


def _contract(
    board: Board, seat: int, one: dict[str, Any], owned: set[int], said: dict[str, Any]
) -> Contract:
    a, b, points = said["contracts"][one["contract"]]
    way, missing = one.get("routes"), one.get("missing")
    ends = (said["routes"][route] for route in way or missing or ())
    return Contract(
        f"{_between(a, b, said)} ({points})",
        way is not None,
        way is None and missing is None,
        ", ".join(_between(a, b, said) for a, b, *_rest in ends),
        one.get("moment"),
        contract_map(board, one["contract"], seat, owned, way or (), missing or ()),
    )


def _between(a: int, b: int, said: dict[str, Any]) -> str:
    return f"{said['places'][a]} \u2013 {said['places'][b]}"
