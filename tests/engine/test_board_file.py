"""A broken board file is refused with the name of the field that is wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from damrak_engine.board import parse_board
from damrak_engine.boards import load_board
from damrak_engine.errors import BoardError

Change = Callable[[dict[str, Any]], object]


def put(value: object, *path: Any) -> Change:
    def change(board: Any) -> None:
        for key in path[:-1]:
            board = board[key]
        board[path[-1]] = value

    return change


def drop(*path: Any) -> Change:
    def change(board: Any) -> None:
        for key in path[:-1]:
            board = board[key]
        del board[path[-1]]

    return change


BROKEN: list[tuple[str, Change]] = [
    ("format", put("damrak-board/2", "format")),
    ("format", drop("format")),
    ("colours", put(["pink"], "colours")),
    ("colours", drop("colours")),
    ("id", put("", "id")),
    ("id", put(7, "id")),
    ("name", drop("name")),
    ("name", put("   ", "name")),
    ("players", put([2], "players")),
    ("players[0]", put(1, "players", 0)),
    ("players[0]", put("2", "players", 0)),
    ("players[1]", put([3, 2], "players")),
    ("players[1]", put(5, "players", 1)),
    ("carts_per_player", put(0, "carts_per_player")),
    ("carts_per_player", put(True, "carts_per_player")),
    ("carts_per_player", put(16.0, "carts_per_player")),
    ("carts_per_player", put(10**9, "carts_per_player")),
    ("cards_per_colour", put(0, "cards_per_colour")),
    ("cards_per_colour", lambda b: b.update(cards_per_colour=1, wild_cards=0)),
    ("wild_cards", put(-1, "wild_cards")),
    ("goods_cards", put(None, "goods_cards")),
    ("route_points", put([], "route_points")),
    ("route_points.0", put({"0": 1}, "route_points")),
    ("route_points.x", put({"x": 1}, "route_points")),
    ("route_points.1", put("one", "route_points", "1")),
    ("goods_bonus", drop("goods_bonus")),
    ("goods_bonus.3", drop("goods_bonus", "3")),
    ("goods_bonus.2", put([1, 2, 3], "goods_bonus", "2")),
    ("goods_bonus.4[1]", put(-1, "goods_bonus", "4", 1)),
    ("locations", put({}, "locations")),
    ("locations", put([], "locations")),
    ("locations[2]", put("Dam", "locations", 2)),
    ("locations[2].id", drop("locations", 2, "id")),
    ("locations[2].id", put("nieuwe-waal", "locations", 2, "id")),
    ("locations[0].name", put(None, "locations", 0, "name")),
    ("locations[1].x", put(1.5, "locations", 1, "x")),
    ("locations[1].y", put(-1, "locations", 1, "y")),
    ("routes", put([], "routes")),
    ("routes[3]", put(None, "routes", 3)),
    ("routes[3].id", put(45, "routes", 3, "id")),
    ("routes[3].id", put(2, "routes", 3, "id")),
    ("routes[3].from", put("rome", "routes", 3, "from")),
    ("routes[3].to", put(3, "routes", 3, "to")),
    ("routes[3].to", lambda b: b["routes"][3].update(to=b["routes"][3]["from"])),
    ("routes[3].length", put(0, "routes", 3, "length")),
    ("routes[3].length", put(5, "routes", 3, "length")),
    ("routes[3].length", drop("routes", 3, "length")),
    ("routes[3].colour", put("mauve", "routes", 3, "colour")),
    ("routes[3].colour", put(["pink"], "routes", 3, "colour")),
    ("routes[3].goods", put(1, "routes", 3, "goods")),
    ("routes[40].twin", put(40, "routes", 40, "twin")),
    ("routes[40].twin", put(3, "routes", 40, "twin")),
    ("routes[40].twin", put(99, "routes", 40, "twin")),
    ("routes[40].twin", lambda b: [b["routes"][i].update(length=i - 38) for i in (40, 41)]),
    ("contracts", put([], "contracts")),
    ("contracts", lambda b: b.update(contracts=b["contracts"][:7])),
    ("contracts[5].id", put(4, "contracts", 5, "id")),
    ("contracts[5].points", put(-2, "contracts", 5, "points")),
    ("contracts[5].points", drop("contracts", 5, "points")),
    ("contracts[5].to", put("", "contracts", 5, "to")),
]


@pytest.mark.parametrize(("field", "change"), BROKEN, ids=lambda v: v if isinstance(v, str) else "")
def test_the_wrong_field_is_named(field: str, change: Change) -> None:
    source = copy.deepcopy(load_board("amsterdam").source)
    change(source)
    with pytest.raises(BoardError) as caught:
        parse_board(source)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [None, [], "board", 7])
def test_what_is_no_object_is_no_board(value: object) -> None:
    with pytest.raises(BoardError, match="must be an object"):
        parse_board(value)


def test_fields_nobody_knows_do_no_harm() -> None:
    source = copy.deepcopy(load_board("amsterdam").source) | {"author": "Somebody"}
    source["locations"][0]["label"] = "ne"
    board = parse_board(source)
    assert board.source["author"] == "Somebody"
