"""R44 to R52: the last round and the scoring."""

from __future__ import annotations

import pytest

from damrak_engine.actions import BLIND, KEEP_FIRST
from damrak_engine.scoring import Result, goods_points, result, totals
from damrak_engine.state import State
from positions import (
    AMSTERDAM,
    claim,
    finish,
    give_routes,
    kinds_of,
    offer,
    play,
    position,
)

TABLES = pytest.mark.parametrize("seats", [2, 3, 4])
GREEN_2 = 2


def a_turn(state: State) -> list[str]:
    """Draw two blind cards and return the kinds of the events after them."""
    first = play(state, BLIND)
    second = play(state, BLIND)
    return kinds_of([*first, *second])[2:]


def scored(
    seats: int,
    *,
    points: tuple[int, ...] = (),
    goods: tuple[int, ...] = (),
    contracts: tuple[tuple[int, ...], ...] = (),
    routes: tuple[tuple[int, ...], ...] = (),
) -> Result:
    """Return the result of a game that ended with these values."""
    state = position(seats, contracts=contracts)
    for seat, number in enumerate(points):
        state.points[seat] = number
    for seat, number in enumerate(goods):
        state.goods[seat] = number
    for seat, owned in enumerate(routes):
        give_routes(state, seat, *owned)
    return result(finish(state))


@TABLES
@pytest.mark.parametrize(("left", "announced"), [(3, False), (2, True), (1, True), (0, True)])
def test_r44_end_trigger(seats: int, left: int, announced: bool) -> None:
    state = position(seats, hands=["green green"], carts=[left + 2])
    events = claim(state, GREEN_2, "green")
    assert state.carts[0] == left
    assert (kinds_of(events) == ["claim", "last_round"]) == announced
    assert bool(state.last_turns) == announced


def test_r44_end_trigger_at_the_end_of_any_turn() -> None:
    drawing = position(carts=[2])
    assert a_turn(drawing) == ["last_round"]
    choosing = position(carts=[1])
    offer(choosing, 0, 1)
    assert kinds_of(play(choosing, KEEP_FIRST)) == ["keep", "last_round"]
    lone_wild = position(row="wild blue green black red", carts=[2])
    assert kinds_of(play(lone_wild, 1)) == ["take", "refill", "last_round"]


def test_r44_end_trigger_is_not_looked_at_between_the_cards() -> None:
    state = position(carts=[2])
    assert kinds_of(play(state, BLIND)) == ["blind"]


@TABLES
def test_r45_last_turns(seats: int) -> None:
    for trigger in range(seats):
        state = position(seats, carts=[2 if s == trigger else 9 for s in range(seats)])
        state.actor = trigger
        assert a_turn(state) == ["last_round"]
        order = []
        while not state.is_over:
            order.append(state.actor)
            kinds = a_turn(state)
        assert order == [(trigger + 1 + i) % seats for i in range(seats)]
        assert kinds == ["end"]
        assert (state.end_reason, state.actor) == ("carts", -1)


def test_r46_score_order() -> None:
    # Contract 1 (3 points) is fulfilled by 30, 28 and 24; contract 23 (9 points) is not.
    ended = scored(
        2, points=(11, 20), goods=(1, 0), contracts=((1, 23), ()), routes=((30, 28, 24),)
    )
    row = ended.seats[0]
    assert (row.routes, row.contracts, row.goods) == (11, 3 - 9, 8)
    assert row.total == 11 - 6 + 8
    assert (row.fulfilled, row.failed) == ((1,), (23,))
    assert ended.seats[1].total == 20


def test_r46_score_order_totals_are_those_of_the_result() -> None:
    state = position(3, contracts=[[1, 23], [2], [5, 6]])
    state.points[:] = [4, 9, 2]
    state.goods[:] = [2, 2, 1]
    give_routes(state, 0, 30, 28, 24)
    give_routes(state, 2, 8, 42, 44)
    assert totals(state) == [row.total for row in result(finish(state)).seats]


@pytest.mark.parametrize(
    ("goods", "bonus"),
    [
        ((3, 1), (8, 4)),
        ((1, 3), (4, 8)),
        ((5, 3, 1), (8, 5, 2)),
        ((1, 5, 3), (2, 8, 5)),
        ((7, 5, 3, 1), (8, 6, 4, 2)),
        ((1, 7, 5, 3), (2, 8, 6, 4)),
    ],
)
def test_r47_goods_table(goods: tuple[int, ...], bonus: tuple[int, ...]) -> None:
    ended = scored(len(goods), goods=goods)
    assert tuple(row.goods for row in ended.seats) == bonus
    assert tuple(row.goods_cards for row in ended.seats) == goods


WORKED_OUT = {
    (5, 5, 2, 1): (8, 8, 4, 2),
    (5, 3, 3, 1): (8, 6, 6, 2),
    (5, 3, 3, 3): (8, 6, 6, 6),
    (4, 4, 4, 1): (8, 8, 8, 2),
    (2, 2, 1, 1): (8, 8, 4, 4),
    (3, 3, 3, 3): (8, 8, 8, 8),
    (4, 2, 2, 0): (8, 6, 6, 0),
    (3, 3, 0, 0): (8, 8, 0, 0),
    (0, 0, 0, 0): (0, 0, 0, 0),
    (4, 4, 1): (8, 8, 2),
    (4, 1, 1): (8, 5, 5),
    (2, 2, 2): (8, 8, 8),
    (5, 0, 0): (8, 0, 0),
    (3, 3): (8, 8),
    (3, 1): (8, 4),
    (3, 0): (8, 0),
    (0, 0): (0, 0),
}


@pytest.mark.parametrize(("goods", "bonus"), WORKED_OUT.items())
def test_r48_goods_ties(goods: tuple[int, ...], bonus: tuple[int, ...]) -> None:
    assert tuple(row.goods for row in scored(len(goods), goods=goods).seats) == bonus
    backwards = scored(len(goods), goods=goods[::-1])
    assert tuple(row.goods for row in backwards.seats) == bonus[::-1]


def test_r48_goods_ties_ranks_without_points() -> None:
    assert goods_points([3, 2, 1], (8,)) == [8, 0, 0]
    assert goods_points([3, 2, 1], ()) == [0, 0, 0]


@TABLES
def test_r49_goods_zero(seats: int) -> None:
    ended = scored(seats, goods=(2,))
    assert [row.goods for row in ended.seats] == [8] + [0] * (seats - 1)
    nobody = scored(seats)
    assert [row.goods for row in nobody.seats] == [0] * seats


@TABLES
def test_r50_winner(seats: int) -> None:
    for best in range(seats):
        ended = scored(seats, points=tuple(30 if s == best else s for s in range(seats)))
        assert ended.winners == (best,)
        assert sorted(row.place for row in ended.seats) == list(range(1, seats + 1))


def test_r50_winner_by_total_and_not_by_routes() -> None:
    ended = scored(2, points=(10, 12), goods=(1, 0))
    assert [row.place for row in ended.seats] == [1, 2]


@TABLES
def test_r51_tiebreak(seats: int) -> None:
    # Contract 0 (2 points) is fulfilled; seat 0 has as many points from its routes alone.
    joined = (40, 42, 8)  # Oost-Indisch Huis, Waag, Montelbaanstoren; Oude Waal
    ended = scored(
        seats,
        points=(10, 8),
        contracts=((), (0,)),
        routes=((), joined),
    )
    assert [row.total for row in ended.seats[:2]] == [10, 10]
    assert [row.place for row in ended.seats[:2]] == [2, 1]
    assert ended.winners == (1,)


def test_r51_tiebreak_counts_fulfilled_ones_only() -> None:
    ended = scored(2, points=(10, 18), contracts=((), (0, 5, 20)), routes=((), (40, 42, 8)))
    assert (ended.seats[1].fulfilled, ended.seats[1].failed) == ((0,), (5, 20))
    assert [row.total for row in ended.seats] == [10, 18 + 2 - 4 - 7]
    level = scored(2, points=(9, 18), contracts=((), (0, 5, 20)), routes=((), (40, 42, 8)))
    assert [row.place for row in level.seats] == [2, 1]
    failed_only = scored(2, points=(10, 14), contracts=((), (5,)))
    assert [row.total for row in failed_only.seats] == [10, 10]
    assert [row.place for row in failed_only.seats] == [1, 1]


@TABLES
def test_r52_shared_victory(seats: int) -> None:
    ended = scored(seats, points=(7,) * seats)
    assert ended.winners == tuple(range(seats))
    ended = scored(seats, points=(7, 7, 3, 3)[:seats])
    assert ended.winners == (0, 1)
    assert [row.place for row in ended.seats] == [1, 1, 3, 3][:seats]


def test_bonus_column_is_the_boards() -> None:
    assert AMSTERDAM.goods_bonus[2:] == ((8, 4), (8, 5, 2), (8, 6, 4, 2))
