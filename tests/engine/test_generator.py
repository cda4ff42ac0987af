"""Generated boards: all guarantees, checked from the file alone."""

from __future__ import annotations

import hashlib
import heapq
import json
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from damrak_engine.board import Board, parse_board
from damrak_engine.drawing import flaws_of
from damrak_engine.generator import LOCATIONS, claimable_goods, design_flaws, generate
from damrak_engine.generator.draws import Draws
from damrak_engine.generator.names import location_names
from samples import examples

SIDES = {"n", "ne", "e", "se", "s", "sw", "w", "nw"}

made = cache(generate)
sizes = st.sampled_from(LOCATIONS)
seeds = st.integers(0, 2**64)
every_size = pytest.mark.parametrize("size", [LOCATIONS[0], 17, 28, LOCATIONS[-1]])


def board_of(seed: int, size: int) -> Board:
    return parse_board(made(seed, size))


def pairs_of(board: Board) -> set[tuple[int, int]]:
    return {(min(r.a, r.b), max(r.a, r.b)) for r in board.routes}


def shortest(board: Board, start: int) -> dict[int, int]:
    """Return the number of spaces from one location to every other (Dijkstra)."""
    ways = defaultdict(list)
    for route in board.routes:
        ways[route.a].append((route.b, route.length))
        ways[route.b].append((route.a, route.length))
    found: dict[int, int] = {}
    queue = [(0, start)]
    while queue:
        spaces, at = heapq.heappop(queue)
        if at not in found:
            found[at] = spaces
            for to, length in ways[at]:
                heapq.heappush(queue, (spaces + length, to))
    return found


def crossing(board: Board, one: tuple[int, int], two: tuple[int, int]) -> bool:
    """Return whether the straight lines of two pairs without a common end intersect."""

    def side(p: int, q: int, r: int) -> int:
        a, b, c = (board.locations[i] for i in (p, q, r))
        return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)

    (a, b), (c, d) = one, two
    return side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0


# ---- reproducible boards -------------------------------------------------------------------------


def test_same_seed_and_size_give_the_board_they_always_gave() -> None:
    text = json.dumps(generate(7, 17), sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest() == (
        "599be1c14660c8e222cead94f81513877cf22cf61396ec1e58fae05d67d93c25"
    )


def test_a_second_call_gives_the_same_board() -> None:
    assert generate(5, 14) == generate(5, 14)


def test_other_seeds_and_sizes_give_other_boards() -> None:
    texts = {json.dumps(made(seed, size)) for seed in (1, 2, 3) for size in (12, 13)}
    assert len(texts) == 6


@pytest.mark.parametrize("size", [0, 11, 41])
def test_sizes_out_of_range_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match="from 12 to 40"):
        generate(1, size)


# ---- guarantees for each board -------------------------------------------------------------------


@examples(8)
@given(seed=seeds, size=sizes)
def test_any_board_keeps_all_promises(seed: int, size: int) -> None:
    source = generate(seed, size)
    board = parse_board(source)
    assert len(board.locations) == size
    check_network(board)
    check_routes(board)
    check_contracts(board)
    assert flaws_of(board) == []
    assert list(design_flaws(board)) == []
    assert all(entry["label"] in SIDES for entry in source["locations"])
    for text in (location.name for location in board.locations):
        assert text.isascii()
        assert 3 <= len(text) <= 15


def check_network(board: Board) -> None:
    """Check that the network is planar, and connected without any one pair."""
    pairs = pairs_of(board)
    for one, two in combinations(sorted(pairs), 2):
        assert set(one) & set(two) or not crossing(board, one, two)
    for lost in pairs:
        reached, rest = {0}, pairs - {lost}
        while grown := {end for pair in rest if reached & set(pair) for end in pair} - reached:
            reached |= grown
        assert len(reached) == len(board.locations)
    assert 1.7 <= len(pairs) / len(board.locations) <= 1.9


def check_routes(board: Board) -> None:
    routes = board.routes
    of_pair = Counter(frozenset((r.a, r.b)) for r in routes)
    for route in routes:
        assert 1 <= route.length <= 4
        assert of_pair[frozenset((route.a, route.b))] == (1 if route.twin is None else 2)
        if route.twin is not None:
            assert routes[route.twin].colour != route.colour
    spaces = [sum(r.length for r in routes if r.colour == colour) for colour in range(6)]
    assert max(spaces) - min(spaces) <= 4
    assert 0.28 <= sum(r.is_grey for r in routes) / len(routes) <= 0.34
    assert 0.2 <= sum(n == 2 for n in of_pair.values()) / len(of_pair) <= 0.45
    assert sum(r.length for r in routes) >= 70
    for seats in (2, 3, 4):
        assert claimable_goods(board, seats) <= board.goods_cards <= 16
    assert sum(r.goods for r in routes) >= 9


def check_contracts(board: Board) -> None:
    contracts = board.contracts
    size = len(board.locations)
    assert len(contracts) == min(60, max(24, 3 * size // 2))
    assert {end for c in contracts for end in (c.a, c.b)} == set(range(size))
    assert len({frozenset((c.a, c.b)) for c in contracts}) == len(contracts)
    for contract in contracts:
        assert contract.points == shortest(board, contract.a)[contract.b] >= 2
    points = [c.points for c in contracts]
    assert min(points) <= 3
    assert max(points) >= 8
    assert 4 <= sum(points) / len(points) <= 6


@every_size
def test_smallest_and_largest_boards_keep_all_promises(size: int) -> None:
    board = board_of(1, size)
    check_network(board)
    check_routes(board)
    check_contracts(board)
    assert flaws_of(board) == []


@every_size
def test_longer_routes_join_locations_farther_apart(size: int) -> None:
    board = board_of(1, size)
    spans = defaultdict(list)
    for a, b in pairs_of(board):
        one, two = board.locations[a], board.locations[b]
        length = next(r.length for r in board.routes if {r.a, r.b} == {a, b})
        spans[length].append((one.x - two.x) ** 2 + (one.y - two.y) ** 2)
    lengths = sorted(spans)
    for shorter, longer in pairwise(lengths):
        assert max(spans[shorter]) < min(spans[longer])


@every_size
def test_names_are_distinguished_by_their_beginning(size: int) -> None:
    names = [location.name for location in board_of(1, size).locations]
    assert len({name[:3] for name in names}) >= 0.8 * size
    assert len(set(names)) == size


# ---- parts ---------------------------------------------------------------------------------------


@given(seed=seeds)
def test_names_never_run_out_or_repeat(seed: int) -> None:
    names = location_names(Draws(seed, "test"), 40)
    assert len({name.lower() for name in names}) == 40


def test_draws_are_the_same_on_every_machine() -> None:
    draws = Draws(1, "test")
    assert [draws.below(1000) for _ in range(6)] == [376, 814, 946, 236, 506, 368]
    assert draws.shuffled("abcdef") == list("dafbce")


@given(seed=seeds, n=st.integers(1, 10**6))
def test_draws_stay_within_bounds(seed: int, n: int) -> None:
    draws = Draws(seed, "test")
    assert all(0 <= draws.below(n) < n for _ in range(20))
    assert 0 <= draws.fraction() < 1
    assert sorted(draws.shuffled(range(9))) == list(range(9))


def _broken(**changes: Any) -> Board:
    source = json.loads(json.dumps(made(1, 12)))
    for key, change in changes.items():
        change(source[key])
    return parse_board(source)


def test_design_flaws_are_named() -> None:
    def same_pair(contracts: list[dict[str, Any]]) -> None:
        contracts[1] |= {"from": contracts[0]["to"], "to": contracts[0]["from"], "points": 50}

    texts = [flaw.text for flaw in design_flaws(_broken(contracts=same_pair))]
    assert any(text.startswith("there are two contracts") for text in texts)
    assert any("the shortest way has" in text for text in texts)

    def all_goods(routes: list[dict[str, Any]]) -> None:
        for route in routes:
            route["goods"] = True

    texts = [flaw.text for flaw in design_flaws(_broken(routes=all_goods))]
    assert [text[:14] for text in texts] == ["with 2 players", "with 3 players", "with 4 players"]

    def islands(routes: list[dict[str, Any]]) -> None:
        ends = routes[0]["from"], routes[0]["to"]
        routes[:] = [routes[0] | {"id": 0, "twin": None, "from": ends[0], "to": ends[1]}]

    found = list(design_flaws(_broken(routes=islands)))
    assert any(flaw.grave and flaw.text.startswith("no way leads") for flaw in found)


def test_a_location_without_contract_is_named() -> None:
    source = json.loads(json.dumps(made(1, 12)))
    lonely = source["locations"][3]
    kept = [c for c in source["contracts"] if lonely["id"] not in (c["from"], c["to"])]
    source["contracts"] = [contract | {"id": i} for i, contract in enumerate(kept)]
    texts = [flaw.text for flaw in design_flaws(parse_board(source))]
    assert f"{lonely['name']} is in no contract" in texts
