"""C-d, n, t: contracts. C-e, i, j, k, u: routes and goods."""

from __future__ import annotations

from itertools import product

import pytest

from damrak_engine.actions import KEEP_BOTH, KEEP_FIRST, KEEP_SECOND, OFFER
from damrak_engine.errors import IllegalAction
from damrak_engine.events import Claim, Offer
from damrak_engine.observation import observe
from damrak_engine.scoring import goods_points, result
from damrak_engine.state import State
from positions import (
    AMSTERDAM,
    SMALL,
    Fate,
    claim,
    deal,
    finish,
    give_routes,
    kinds_of,
    offer,
    payments,
    play,
    position,
    row,
    small_board,
)

TABLES = pytest.mark.parametrize("seats", [2, 3, 4])
GREY_1, GREY_3, GREY_4, RED_1 = 8, 18, 4, 5
TWINS = 10, 11  # black and red, one space


# ---- C-d, C-n, C-t: contracts ------------------------------------------------------------------


def offered(state: State, *contracts: int) -> tuple[int | None, ...]:
    """Draw contracts and return the offered ones."""
    event = offer(state, *contracts)[0]
    assert isinstance(event, Offer)
    return event.contracts


def test_c_d_two_left() -> None:
    state = position(undrawn=[], returned=[4, 9])
    assert offered(state) == (4, 9)
    play(state, KEEP_SECOND)
    assert state.returned == (4,)
    assert offered(state) == (4,)
    assert state.legal_actions() == [KEEP_FIRST]


def test_c_d_none_left() -> None:
    state = position(undrawn=[], returned=[])
    assert OFFER not in state.legal_actions()
    with pytest.raises(IllegalAction):
        play(state, OFFER)


def test_c_d_returned_ones_come_in_the_order_of_their_return() -> None:
    state = position(undrawn=[1, 2, 3, 4])
    assert offered(state, 4, 1) == (4, 1)
    play(state, KEEP_SECOND)
    assert offered(state, 3, 2) == (3, 2)
    play(state, KEEP_FIRST)
    assert state.returned == (4, 2)
    assert offered(state) == (4, 2)


def test_c_d_its_returner_knows_the_bottom_contract() -> None:
    state = position(3, undrawn=[1, 2, 3, 4])
    offer(state, 4, 1)
    play(state, KEEP_SECOND)
    own, other = (observe(state, seat).dealt for seat in (0, 1))
    assert own != other
    assert own[0] >> 3 & 63 == 4


@TABLES
def test_c_n_rejected_ones_go_under_in_turn_order(seats: int) -> None:
    for first in range(seats):
        state = deal(
            seats,
            first=first,
            contracts=range(2 * seats),
            options={"initial_choice": "simultaneous", "returned_order": "turn_order"},
        )
        for _ in range(seats):
            play(state, KEEP_FIRST)
        order = [(first + i) % seats for i in range(seats)]
        assert state.returned == tuple(seats + seat for seat in order)


@TABLES
def test_c_n_all_choose_at_the_same_time(seats: int) -> None:
    state = deal(seats, first=1, options={"initial_choice": "simultaneous"})
    assert sorted(state.owing()) == list(range(seats))
    assert state.owing()[0] == state.actor == 1
    for seat in range(seats):
        assert state.legal_for(seat) == [KEEP_FIRST, KEEP_SECOND, KEEP_BOTH]
        assert observe(state, seat).actor == seat
    last = (1 + seats - 1) % seats
    before = observe(state, last)
    play(state, KEEP_FIRST)
    assert observe(state, last) == before
    assert len(state.owing()) == seats - 1


@TABLES
def test_c_n_in_turn_order(seats: int) -> None:
    state = deal(seats, first=1, options={"initial_choice": "in_turn_order"})
    last = (1 + seats - 1) % seats
    for turn in range(seats):
        chooser = (1 + turn) % seats
        assert state.owing() == [chooser]
        assert all(not state.legal_for(s) for s in range(seats) if s != chooser)
        assert observe(state, last).actor == chooser
        play(state, KEEP_FIRST if turn % 2 else KEEP_BOTH)
        assert observe(state, last).contract_counts[chooser] == (1 if turn % 2 else 2)


def test_c_n_returned_order_shuffled() -> None:
    state = deal(3, contracts=range(6), options={"returned_order": "shuffled"})
    fate = Fate(others=[1, 1, 0])
    for _ in range(3):
        state.apply(KEEP_FIRST, fate.watch(state))
    assert [ask for ask in fate.asked if ask[0] == "returned"] == [
        ("returned", 3),
        ("returned", 2),
        ("returned", 1),
    ]
    assert state.returned == (4, 5, 3)


def test_c_n_returned_order_shuffled_concerns_the_first_choice_only() -> None:
    state = position(undrawn=[1, 2], returned=[5, 6], options={"returned_order": "shuffled"})
    offer(state, 1, 2)
    play(state, KEEP_FIRST)
    assert state.returned == (5, 6, 2)


def test_c_t_one_route_for_several_contracts() -> None:
    state = position(contracts=[[0, 1, 4]], board=small_board())
    give_routes(state, 0, 0, 2, 3)  # A to B to C to D
    row = result(finish(state)).seats[0]
    assert (row.fulfilled, row.contracts) == ((0, 1, 4), 3 + 6 + 4)


def test_c_t_routes_of_others_never_help() -> None:
    state = position(contracts=[[0], [0]], board=small_board())
    give_routes(state, 0, 0)
    give_routes(state, 1, 2)
    assert [row.failed for row in result(finish(state)).seats] == [(0,), (0,)]


def test_c_t_detours_do_not_matter() -> None:
    state = position(contracts=[[0]], board=small_board())
    give_routes(state, 0, 7, 8)  # A to C via F, instead of via B
    assert result(finish(state)).seats[0].fulfilled == (0,)


# ---- C-e: goods cards --------------------------------------------------------------------------


def last_goods(options: dict[str, str]) -> tuple[State, list[bool]]:
    """Claim three marked routes where there are two goods cards."""
    state = position(
        hands=["pink pink orange orange", "green green green"],
        row="blue red blue red black",
        board=small_board(),
        options=options,
    )
    got = []
    for route, colour in ((0, "pink"), (3, "green"), (6, "orange")):
        event = claim(state, route, colour)[0]
        assert isinstance(event, Claim)
        got.append(event.goods)
    return state, got


def test_c_e_no_goods_cards_left() -> None:
    state, got = last_goods({"goods_exhausted": "none"})
    assert got == [True, True, False]
    assert (state.goods, state.goods_left) == ([1, 1], 0)
    assert state.points == [2 + 2, 4], "the claim is otherwise as usual"
    assert state.owned[0] == 1 << 0 | 1 << 6


def test_c_e_virtual_goods_cards() -> None:
    state, got = last_goods({"goods_exhausted": "virtual"})
    assert got == [True, True, True]
    assert state.goods == [2, 1]
    assert [row.goods for row in result(finish(state)).seats] == [8, 4]


def test_c_e_cannot_happen_on_amsterdam() -> None:
    marked = [route for route in position().rules.board.routes if route.goods]
    pairs = [route for route in marked if route.twin is not None]
    assert len(marked) - len(pairs) // 2 <= 16


# ---- C-i, C-j: routes and payments -------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "open_with"),
    [
        ({"double_open_from": "2 players"}, {2, 3, 4}),
        ({"double_open_from": "3 players"}, {3, 4}),
        ({"double_open_from": "4 players"}, {4}),
    ],
)
def test_c_i_double_open_from(options: dict[str, str], open_with: set[int]) -> None:
    for seats in (2, 3, 4):
        state = position(seats, hands=["black red", "black red"], options=options)
        claim(state, TWINS[0], "black")
        assert bool(payments(state, TWINS[1])) == (seats in open_with)
        state.actor, state.legal = 0, -1
        assert not payments(state, TWINS[1]), "never for the owner of the other twin"


def test_c_i_a_shut_twin_gives_nothing() -> None:
    state = position(hands=["pink pink", "red red wild"])
    claim(state, 0, "pink")
    with pytest.raises(IllegalAction, match="not open"):
        claim(state, 1, "red")
    assert (state.goods, state.goods_left) == ([1, 0], 15)


def test_c_i_same_ends_do_not_make_twins() -> None:
    routes = [dict(route) for route in SMALL["routes"]]
    routes[4]["twin"] = routes[5]["twin"] = None
    state = position(hands=["black red"], board=small_board(routes=routes))
    claim(state, 4, "black")
    state.actor, state.legal = 0, -1
    assert payments(state, 5) == {("red", 0)}


def test_c_j_all_wild() -> None:
    state = position(hands=["wild wild red red"], options={"all_wild": "yes"})
    assert payments(state, GREY_1) == {("red", 0), (None, 1)}
    assert payments(state, RED_1) == {("red", 0), (None, 1)}
    assert payments(state, 1) == {("red", 0), ("red", 1), (None, 2)}
    claim(state, RED_1, None, 1)
    assert state.owned[0] == 1 << RED_1


def test_c_j_all_wild_not_allowed() -> None:
    state = position(hands=["wild wild red"], options={"all_wild": "no"})
    assert payments(state, GREY_1) == payments(state, RED_1) == {("red", 0)}
    assert payments(state, 1) == {("red", 1)}
    with pytest.raises(IllegalAction):
        claim(state, RED_1, None, 1)
    for option in ({"all_wild": "no"}, {"all_wild": "yes"}):
        colourless = position(hands=["wild wild wild"], options=option)
        assert bool(payments(colourless, GREY_3)) == (option["all_wild"] == "yes")


def test_c_j_wilds_may_stand_in_although_the_colour_is_there() -> None:
    state = position(hands=["red red red red wild wild wild wild"])
    assert payments(state, GREY_4) == {("red", n) for n in range(4)} | {(None, 4)}


# ---- C-k, C-u ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "goods", "bonus"),
    [
        ({"goods_ties": "skip"}, (3, 3, 1), (8, 8, 2)),
        ({"goods_ties": "dense"}, (3, 3, 1), (8, 8, 5)),
        ({"goods_ties": "split"}, (3, 3, 1), (6, 6, 2)),
        ({"goods_ties": "skip"}, (5, 3, 3, 1), (8, 6, 6, 2)),
        ({"goods_ties": "dense"}, (5, 3, 3, 1), (8, 6, 6, 4)),
        ({"goods_ties": "split"}, (5, 3, 3, 1), (8, 5, 5, 2)),
        ({"goods_ties": "dense"}, (2, 2), (8, 8)),
        ({"goods_ties": "split"}, (2, 2), (6, 6)),
        ({"goods_ties": "split"}, (1, 1, 1, 1), (5, 5, 5, 5)),
        ({"goods_ties": "split"}, (2, 2, 2, 0), (6, 6, 6, 0)),
        ({"goods_ties": "split"}, (4, 0, 0), (8, 0, 0)),
        ({"goods_ties": "dense"}, (4, 4, 0, 0), (8, 8, 0, 0)),
        ({"goods_ties": "skip_one"}, (4, 4, 4, 1), (8, 8, 8, 4)),
        ({"goods_ties": "skip_one"}, (1, 4, 4, 4), (4, 8, 8, 8)),
        ({"goods_ties": "skip_one"}, (2, 2, 1, 1), (8, 8, 4, 4)),
        ({"goods_ties": "skip_one"}, (5, 3, 3, 1), (8, 6, 6, 2)),
        ({"goods_ties": "skip_one"}, (5, 3, 3, 3), (8, 6, 6, 6)),
        ({"goods_ties": "skip_one"}, (3, 3, 3, 3), (8, 8, 8, 8)),
        ({"goods_ties": "skip_one"}, (2, 2, 2, 0), (8, 8, 8, 0)),
        ({"goods_ties": "skip_one"}, (3, 3, 1), (8, 8, 2)),
        ({"goods_ties": "skip_one"}, (3, 3), (8, 8)),
    ],
)
def test_c_k_goods_ties(
    options: dict[str, str], goods: tuple[int, ...], bonus: tuple[int, ...]
) -> None:
    state = position(len(goods), options=options)
    state.goods[:] = goods
    assert tuple(row.goods for row in result(finish(state)).seats) == bonus


def test_c_k_skip_one_differs_only_when_three_lead_a_fourth() -> None:
    differing = set()
    compared = 0
    for seats in (2, 3, 4):
        bonus = AMSTERDAM.goods_bonus[seats]
        for goods in product(range(17), repeat=seats):
            if sum(goods) <= 16:
                compared += 1
                counts = list(goods)
                if goods_points(counts, bonus) != goods_points(counts, bonus, "skip_one"):
                    differing.add(goods)
    # The figures on which the interpretation of the rulebooks was based.
    assert (compared, len(differing)) == (5967, 28)
    for goods in differing:
        ranked = sorted(goods, reverse=True)
        assert ranked[0] == ranked[1] == ranked[2] > ranked[3] > 0


def test_c_k_one_card_is_enough() -> None:
    assert goods_points([0, 1, 0, 0], (8, 6, 4, 2)) == [0, 8, 0, 0]


def test_c_u_order_within_a_claim() -> None:
    state = position(
        hands=["pink pink wild"], carts=[4], row="wild wild blue - red", pile="", rest=1
    )
    events = claim(state, 0, "pink", 1, cards="wild pink blue red wild wild")
    refills = ["refill", "reshuffle", "refill", "refill", "refill", "refill"]
    assert kinds_of(events) == ["claim", "reshuffle", "refill", "flush", *refills, "last_round"]
    assert isinstance(events[0], Claim)
    assert events[0].goods
    assert (state.carts[0], state.points[0], state.goods[0]) == (2, 2, 1)
    assert row(state) == "pink blue red wild wild"
