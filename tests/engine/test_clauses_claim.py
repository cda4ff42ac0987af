"""R25 to R38: claiming routes."""

from __future__ import annotations

import pytest

from damrak_engine.cards import counts
from damrak_engine.errors import IllegalAction
from damrak_engine.events import Claim
from damrak_engine.observation import observe
from damrak_engine.state import State
from positions import (
    AMSTERDAM,
    blind,
    claim,
    give_routes,
    hand,
    kinds_of,
    payment,
    payments,
    play,
    position,
    small_board,
)

TABLES = pytest.mark.parametrize("seats", [2, 3, 4])
RICH = "pink pink blue blue green green black black red red orange orange wild wild wild wild"
PINK_2, GREY_TWIN = 0, 1  # routes of the board, named by the properties that the tests require
GREY_4, GREY_1, GREY_3 = 4, 8, 18
BLUE_3, GREEN_2 = 3, 2
SHORT_TWINS = 10, 11  # black and red, one space
PLAIN_RED_1, MARKED_PINK_1 = 5, 24


def claimable(state: State) -> set[int]:
    """Return the routes that the actor may claim."""
    return {i for i in range(len(state.rules.board.routes)) if payments(state, i)}


@TABLES
def test_r25_claim_any_free(seats: int) -> None:
    state = position(seats, hands=[RICH])
    assert claimable(state) == set(range(45))
    claim(state, PINK_2, "pink")
    state.actor = 0
    state.legal = -1
    far_away = 44
    assert payments(state, far_away), "it need not touch the seat's other routes"
    assert not payments(state, PINK_2), "it is not free any more"
    state.hands[1], state.actor, state.legal = state.hands[0], 1, -1
    assert not payments(state, PINK_2)


def test_r26_claim_one_per_turn() -> None:
    state = position(hands=[RICH])
    claim(state, GREEN_2, "green")
    assert state.owned[0] == 1 << GREEN_2
    assert state.actor == 1
    begun = position(hands=[RICH])
    blind(begun, "red")
    assert claimable(begun) == set(), "nor after a first card"


def test_r27_pay_exact_count() -> None:
    state = position(hands=["pink pink pink pink wild"])
    assert payments(state, PINK_2) == {("pink", 0), ("pink", 1)}
    claim(state, PINK_2, "pink", 1)
    assert hand(state, 0) == "pink pink pink"
    short = position(hands=["pink"])
    assert payments(short, PINK_2) == set()
    with pytest.raises(IllegalAction):
        claim(short, PINK_2, "pink")


def test_r28_pay_colour() -> None:
    state = position(hands=["blue blue blue blue wild wild"])
    assert payments(state, PINK_2) == {(None, 2)}
    assert payments(state, BLUE_3) == {("blue", 0), ("blue", 1), ("blue", 2)}
    mixed = position(hands=["blue green pink"])
    assert payments(mixed, BLUE_3) == set()


def test_r29_pay_grey() -> None:
    state = position(hands=["red red blue blue blue wild"])
    assert payments(state, GREY_3) == {("red", 1), ("blue", 0), ("blue", 1)}
    assert payments(state, GREY_TWIN) == {("red", 0), ("red", 1), ("blue", 0), ("blue", 1)}
    mixed = position(hands=["red blue green orange"])
    assert payments(mixed, GREY_TWIN) == set(), "one and the same colour"
    for colour in ("pink", "blue", "green", "black", "red", "orange"):
        assert payments(position(hands=[colour]), GREY_1) == {(colour, 0)}


def test_r30_pay_wild() -> None:
    state = position(hands=["blue wild wild wild wild"])
    assert payments(state, BLUE_3) == {("blue", 2), (None, 3)}
    assert payments(state, GREY_4) == {("blue", 3), (None, 4)}
    claim(state, GREY_4, "blue", 3)
    assert hand(state, 0) == "wild"


def test_r31_carts_needed() -> None:
    for carts in (0, 1, 2, 3, 4):
        state = position(hands=[RICH], carts=[carts])
        lengths = {AMSTERDAM.routes[route].length for route in claimable(state)}
        assert lengths == set(range(1, carts + 1))
    state = position(hands=[RICH], carts=[4])
    claim(state, GREY_4, None, 4)
    assert state.carts == [0, 16]


def test_r32_paid_cards_discarded() -> None:
    state = position(hands=["blue blue wild red"], discards="green")
    claim(state, BLUE_3, "blue", 1)
    assert hand(state, 0) == "red"
    assert counts(state.discards) == (0, 2, 1, 0, 0, 0, 1)


@pytest.mark.parametrize(
    ("route", "colour", "points"), [(8, "red", 1), (0, "pink", 2), (3, "blue", 4), (4, "red", 7)]
)
def test_r33_route_points(route: int, colour: str, points: int) -> None:
    state = position(hands=[f"{colour} " * 4])
    claim(state, route, colour)
    assert state.points == [points, 0]


def test_r33_route_points_are_the_boards() -> None:
    dear = small_board(route_points={"1": 9, "2": 2, "3": 4, "4": 7})
    state = position(hands=["blue"], board=dear)
    claim(state, 2, "blue")
    assert state.points == [9, 0]


@TABLES
def test_r34_goods_card(seats: int) -> None:
    state = position(seats, hands=["pink red"])
    event = claim(state, MARKED_PINK_1, "pink")[0]
    assert isinstance(event, Claim)
    assert event.goods
    assert (state.goods[0], state.goods_left) == (1, 15)
    for seat in range(seats):
        assert observe(state, seat).goods == (1,) + (0,) * (seats - 1)
    plain = position(seats, hands=["pink red"])
    event = claim(plain, PLAIN_RED_1, "red")[0]
    assert isinstance(event, Claim)
    assert not event.goods
    assert (plain.goods[0], plain.goods_left) == (0, 16)


def test_r35_goods_one_only() -> None:
    state = position(hands=["red red red red"])
    claim(state, GREY_4, "red")
    assert (state.goods, state.goods_left) == ([1, 0], 15)


@TABLES
def test_r36_double_same_player(seats: int) -> None:
    for mine, twin in (SHORT_TWINS, SHORT_TWINS[::-1]):
        state = position(seats, hands=["black red wild wild"])
        assert payments(state, twin)
        claim(state, mine, None, 1)
        state.actor, state.legal = 0, -1
        assert payments(state, twin) == set()
        with pytest.raises(IllegalAction):
            claim(state, twin, None, 1)


def test_r37_double_two_players() -> None:
    for taken, twin in (SHORT_TWINS, SHORT_TWINS[::-1]):
        state = position(2, hands=["black red", "black red wild"])
        claim(state, taken, "black" if taken == SHORT_TWINS[0] else "red")
        assert payments(state, twin) == set()
        assert payments(state, taken) == set()


@pytest.mark.parametrize("seats", [3, 4])
def test_r38_double_three_four(seats: int) -> None:
    for taken, twin in (SHORT_TWINS, SHORT_TWINS[::-1]):
        colours = ("black", "red") if taken == SHORT_TWINS[0] else ("red", "black")
        state = position(seats, hands=["black red", "black red", "black red"])
        claim(state, taken, colours[0])
        assert payments(state, taken) == set()
        assert payments(state, twin) == {(colours[1], 0)}
        claim(state, twin, colours[1])
        assert payments(state, taken) == payments(state, twin) == set()


def test_r38_double_three_four_both_give_a_goods_card() -> None:
    state = position(3, hands=["pink pink", "blue blue"])
    claim(state, PINK_2, "pink")
    claim(state, GREY_TWIN, "blue")
    assert state.goods == [1, 1, 0]


def test_claim_of_a_taken_route_is_refused_in_words() -> None:
    state = position(hands=[RICH])
    give_routes(state, 1, GREY_1)
    with pytest.raises(IllegalAction, match="not open"):
        play(state, payment(state, GREY_1, "red"))


def test_claim_is_logged_before_the_row_is_filled() -> None:
    state = position(hands=["red red"], row="pink - - - -", pile="", rest=1)
    events = claim(state, GREY_TWIN, "red")
    assert kinds_of(events) == ["claim", "reshuffle", "refill", "refill"]
