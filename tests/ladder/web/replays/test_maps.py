"""Contracts as maps: their drawing, and the shortest route on an empty board."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from django.utils.translation import override

from damrak_engine.boards import load_board
from damrak_ladder.web.replays.board_picture import town
from damrak_ladder.web.replays.maps import contract_map, outline, shortest_way
from damrak_ladder.web.replays.tips import with_tips

BOARD = load_board("amsterdam")


def drawn(contract: int, *sets: set[int]) -> dict[str, int]:
    """Return the number of routes that each kind of line of a map connects."""
    svg = ElementTree.fromstring(contract_map(BOARD, contract, 1, *sets))
    found = {path.attrib["class"]: path.attrib["d"].count("M") for path in svg.findall("path")}
    assert len(svg.findall("circle[@class='map-end']")) == 2
    return found


def spaces(routes: list[int]) -> int:
    return sum(BOARD.routes[i].length for i in routes)


@pytest.mark.parametrize("number", range(len(BOARD.contracts)))
def test_shortest_way_joins_the_ends_and_no_way_is_shorter(number: int) -> None:
    contract = BOARD.contracts[number]
    way = shortest_way(BOARD, contract.a, contract.b)
    here = contract.a
    for route in way:
        ends = {BOARD.routes[route].a, BOARD.routes[route].b}
        assert here in ends
        here = (ends - {here}).pop()
    assert here == contract.b
    farthest = {contract.a: 0}
    for _ in BOARD.locations:  # the Bellman-Ford algorithm
        for route in BOARD.routes:
            for a, b in pairwise((route.a, route.b, route.a)):
                if a in farthest:
                    known = farthest.get(b, 10**6)
                    farthest[b] = min(known, farthest[a] + route.length)
    assert spaces(way) == farthest[contract.b]


def test_built_and_missing_routes_look_different() -> None:
    contract = BOARD.contracts[0]
    way = set(shortest_way(BOARD, contract.a, contract.b))
    other = next(
        route.id
        for route in BOARD.routes
        if all({route.a, route.b} != {BOARD.routes[i].a, BOARD.routes[i].b} for i in way)
    )
    built = drawn(0, {*way, other}, way, set())
    assert built["map-way line-1"] == len(way)
    assert built["map-own line-1"] == 1
    assert "map-shortest" not in built
    assert "map-missing" not in built
    lacking = drawn(0, {other}, set(), way)
    assert lacking["map-missing"] == len(way)
    assert "map-shortest" not in lacking
    assert drawn(0, {other}, set(), set())["map-shortest"] == len(way)


def test_all_maps_share_one_outline() -> None:
    shared = ElementTree.fromstring(outline(BOARD)).find("defs/g")
    assert shared is not None
    used = ElementTree.fromstring(contract_map(BOARD, 0, 0, (), (), ())).find("use")
    assert used is not None
    assert used.attrib["href"] == f"#{shared.attrib['id']}"


@pytest.mark.parametrize(
    ("language", "blue", "goods"), [("en", "blue", "goods card"), ("pl", "niebieskie", "karta")]
)
def test_routes_are_named_in_the_readers_language(language: str, blue: str, goods: str) -> None:
    board = load_board("amsterdam")
    with override(language):
        drawing = with_tips(town(board, {}), board)
    said = dict(re.findall(r'data-route="(\d+)"><title>([^<]*)', drawing))
    assert len(said) == len(board.routes)
    for route in board.routes:
        assert (f"({blue}, {route.length})" in said[str(route.id)]) == (route.colour_word == "blue")
        assert (goods in said[str(route.id)]) == route.goods
