"""Board files: errors are reported with the name of the field."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from damrak_engine.board import parse_board
from damrak_engine.boards import board_names, load_board
from damrak_engine.errors import BoardError
from positions import SMALL

Change = Callable[[dict[str, Any]], object]


def broken(change: Change) -> dict[str, Any]:
    data = deepcopy(SMALL)
    change(data)
    return data


def put(path: str, value: object) -> Change:
    """Return a change that sets a value at the path that an error message would name."""

    def change(data: Any) -> None:
        *way, last = path.replace("[", ".").replace("]", "").split(".")
        for step in way:
            data = data[int(step)] if step.isdigit() else data[step]
        data[int(last) if last.isdigit() and isinstance(data, list) else last] = value

    return change


def drop(path: str) -> Change:
    def change(data: Any) -> None:
        *way, last = path.replace("[", ".").replace("]", "").split(".")
        for step in way:
            data = data[int(step)] if step.isdigit() else data[step]
        del data[last]

    return change


FIELDS = [
    "format", "id", "name", "players", "carts_per_player", "colours", "cards_per_colour",
    "wild_cards", "goods_cards", "route_points", "goods_bonus", "locations", "routes", "contracts",
    "goods_bonus.3", "locations[2].id", "locations[2].name", "locations[2].x", "locations[2].y",
    "routes[3].id", "routes[3].from", "routes[3].to", "routes[3].length", "routes[3].colour",
    "routes[3].goods", "contracts[1].id", "contracts[1].from", "contracts[1].to",
    "contracts[1].points",
]  # fmt: skip


@pytest.mark.parametrize("field", FIELDS)
def test_missing_field_is_named(field: str) -> None:
    with pytest.raises(BoardError) as refused:
        parse_board(broken(drop(field)))
    assert refused.value.field == field
    assert str(refused.value).startswith(f"{field}: ")


@pytest.mark.parametrize("value", [None, [], {}, 1.5, True, -1, "", 10**9])
@pytest.mark.parametrize("field", FIELDS)
def test_wrong_value_is_named(field: str, value: object) -> None:
    fine = (field == "routes[3].goods" and value is True) or (
        field == "goods_bonus.3" and value == []
    )
    if fine:
        parse_board(broken(put(field, value)))
        return
    with pytest.raises(BoardError) as refused:
        parse_board(broken(put(field, value)))
    wanted = "routes[0].length" if (field, value) == ("route_points", {}) else field
    assert refused.value.field.startswith(wanted)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (put("format", "damrak-board/2"), "format"),
        (put("players", [1, 4]), "players[0]"),
        (put("players", [3, 2]), "players[1]"),
        (put("players", [2, 5]), "players[1]"),
        (put("players", [2]), "players"),
        (put("carts_per_player", 0), "carts_per_player"),
        (put("carts_per_player", 201), "carts_per_player"),
        (put("colours", ["red"]), "colours"),
        (put("cards_per_colour", 1), "cards_per_colour"),
        (put("cards_per_colour", 121), "cards_per_colour"),
        (put("wild_cards", 121), "wild_cards"),
        (put("goods_cards", 201), "goods_cards"),
        (put("route_points.13", 9), "route_points.13"),
        (put("route_points.0", 9), "route_points.0"),
        (put("route_points.two", 9), "route_points.two"),
        (put("route_points.01", 9), "route_points.01"),
        (put("route_points.1", 101), "route_points.1"),
        (drop("route_points.4"), "routes[7].length"),
        (put("goods_bonus.2", [8, 4, 2]), "goods_bonus.2"),
        (put("goods_bonus.4", [8, 101]), "goods_bonus.4[1]"),
        (put("locations[3].id", "a"), "locations[3].id"),
        (put("locations[3].x", 100_001), "locations[3].x"),
        (put("routes[3].id", 2), "routes[3].id"),
        (put("routes[3].id", 9), "routes[3].id"),
        (put("routes[3].from", "z"), "routes[3].from"),
        (put("routes[3].to", "c"), "routes[3].to"),
        (put("routes[3].length", 5), "routes[3].length"),
        (put("routes[3].colour", "wild"), "routes[3].colour"),
        (put("routes[3].twin", 3), "routes[3].twin"),
        (put("routes[3].twin", 9), "routes[3].twin"),
        (put("routes[3].twin", 4), "routes[3].twin"),
        (put("routes[0].twin", None), "routes[1].twin"),
        (put("routes[1].length", 1), "routes[0].twin"),
        (put("routes[1].to", "c"), "routes[0].twin"),
        (put("contracts[1].id", 0), "contracts[1].id"),
        (put("contracts[1].to", "a"), "contracts[1].to"),
        (put("contracts[1].points", 101), "contracts[1].points"),
        (lambda data: data["contracts"].__delitem__(slice(7, None)), "contracts"),
        (lambda data: data["contracts"].__delitem__(slice(3, None)), "contracts"),
        (lambda data: data["routes"].clear(), "routes"),
        (lambda data: data["locations"].__delitem__(slice(1, None)), "locations"),
    ],
)
def test_inconsistency_is_named(change: Change, field: str) -> None:
    with pytest.raises(BoardError) as refused:
        parse_board(broken(change))
    assert refused.value.field == field


@pytest.mark.parametrize("data", [None, [], "board", 3])
def test_value_that_is_not_an_object_is_not_a_board(data: object) -> None:
    with pytest.raises(BoardError, match="must be an object"):
        parse_board(data)


def test_routes_and_contracts_may_be_in_any_order() -> None:
    turned = broken(lambda data: (data["routes"].reverse(), data["contracts"].reverse()))
    board, plain = parse_board(turned), parse_board(deepcopy(SMALL))
    assert board.routes == plain.routes
    assert board.contracts == plain.contracts


def test_more_fields_than_needed_are_allowed_and_kept() -> None:
    data = broken(put("author", {"name": "somebody"}))
    assert parse_board(data).source is data


def test_everything_is_read() -> None:
    board = parse_board(deepcopy(SMALL))
    assert (board.players, board.carts, board.deck_size) == ((2, 4), 6, 22)
    assert board.route_points == (0, 1, 2, 4, 7, *[0] * 8)
    assert [location.id for location in board.locations] == list("abcdef")
    assert (board.routes[1].twin, board.routes[2].twin) == (0, None)
    assert board.routes[6].goods
    assert not board.routes[7].goods
    assert board.routes[7].is_grey
    assert board.route_name(3) == "C - D (green, 3)"
    assert board.contract_name(2) == "A - E (7)"


@pytest.mark.parametrize("name", board_names())
def test_bundled_boards_are_whole(name: str) -> None:
    board = load_board(name)
    assert board is load_board(name)
    assert board.id == name
    assert board.players == (2, 4)
    joined = {board.routes[0].a}
    for _ in board.locations:
        joined |= {end for r in board.routes if joined & {r.a, r.b} for end in (r.a, r.b)}
    assert joined == set(range(len(board.locations))), "every location can be reached"


def test_unknown_board_is_a_key_error_that_lists_those_there_are() -> None:
    with pytest.raises(KeyError, match="amsterdam"):
        load_board("atlantis")
