"""R1 to R14: the contents of the box, and the set-up."""

from __future__ import annotations

from copy import deepcopy

import pytest

from damrak_engine.actions import KEEP_BOTH, KEEP_FIRST, KEEP_SECOND, OFFER, PASS
from damrak_engine.board import parse_board
from damrak_engine.cards import counts, size
from damrak_engine.deal import new_game
from damrak_engine.errors import BoardError, IllegalAction, OptionsError
from damrak_engine.events import Deal, Flush, seen_by
from damrak_engine.observation import observe
from damrak_engine.position import SETUP, TURN
from damrak_engine.state import State
from positions import (
    AMSTERDAM,
    PLAIN_ROW,
    SMALL,
    Fate,
    claim,
    deal,
    game_rules,
    hand,
    kinds_of,
    offer,
    play,
    position,
    row,
    small_board,
)

TABLES = pytest.mark.parametrize("seats", [2, 3, 4])


def keep_all(state: State, *choices: int) -> None:
    for choice in choices or (KEEP_BOTH,) * state.rules.seats:
        play(state, choice)


def test_r01_player_count() -> None:
    for seats in (2, 3, 4):
        assert len(deal(seats).hands) == seats
    for seats in (0, 1, 5):
        with pytest.raises(OptionsError):
            game_rules(seats)


def test_r01_player_count_of_another_board() -> None:
    three_only = small_board(players=[3, 3])
    assert len(deal(3, board=three_only).hands) == 3
    for seats in (2, 4):
        with pytest.raises(OptionsError):
            game_rules(seats, board=three_only)


def test_r02_board() -> None:
    assert (len(AMSTERDAM.locations), len(AMSTERDAM.routes)) == (17, 45)
    for route in AMSTERDAM.routes:
        assert route.a != route.b
        assert route.colour_word in ("pink", "blue", "green", "black", "red", "orange", "grey")
    assert AMSTERDAM.route_points[1:5] == (1, 2, 4, 7)


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("from", "z", r"routes\[2\]\.from"),
        ("to", "b", r"routes\[2\]\.to"),
        ("colour", "wild", r"routes\[2\]\.colour"),
        ("length", 5, r"routes\[2\]\.length"),
    ],
)
def test_r02_board_refuses_invalid_routes(field: str, value: object, complaint: str) -> None:
    broken = deepcopy(SMALL)
    broken["routes"][2][field] = value
    with pytest.raises(BoardError, match=complaint):
        parse_board(broken)


@TABLES
def test_r03_carts(seats: int) -> None:
    assert sum(deal(seats).carts) == 16 * seats
    assert deal(seats).carts == [16] * seats


def test_r04_transport_cards() -> None:
    assert game_rules().deck == (6, 6, 6, 6, 6, 6, 8)
    assert AMSTERDAM.deck_size == 44


def test_r05_contract_cards() -> None:
    assert len(AMSTERDAM.contracts) == 24
    assert all(contract.a != contract.b for contract in AMSTERDAM.contracts)
    assert all(contract.points > 0 for contract in AMSTERDAM.contracts)
    assert deal().undrawn.bit_count() == 24 - 4


def test_r06_goods_cards() -> None:
    state = position(hands=["pink pink", "green green"])
    assert state.goods_left == 16
    claim(state, 0, "pink")
    claim(state, 2, "green")
    assert (state.goods, state.goods_left) == ([1, 1], 14)


@TABLES
def test_r07_markers(seats: int) -> None:
    state = position(seats, hands=["pink pink"])
    assert state.points == [0] * seats
    claim(state, 0, "pink")
    assert state.points == [2] + [0] * (seats - 1)


@TABLES
def test_r08_setup_board(seats: int) -> None:
    state = deal(seats)
    assert state.carts == [16] * seats
    assert state.points == state.goods == [0] * seats
    assert state.goods_left == 16
    assert state.owned == [0] * seats


@TABLES
def test_r09_setup_deal_transport(seats: int) -> None:
    rounds = ["pink", "blue", "green", "black"][:seats] + ["red", "orange", "wild", "red"][:seats]
    state = deal(seats, cards=" ".join(rounds))
    assert [hand(state, seat).split() for seat in range(seats)] == [
        [rounds[seat], rounds[seats + seat]] for seat in range(seats)
    ]


@TABLES
def test_r10_setup_row(seats: int) -> None:
    hands = "pink blue " * seats
    state = deal(seats, cards=hands + "red wild orange wild black")
    assert row(state) == "red wild orange wild black"
    assert state.pile_size == 44 - 2 * seats - 5
    on_table = state.pile_size + 5 + sum(size(cards) for cards in state.hands)
    assert (on_table, state.discards) == (44, 0)


@TABLES
def test_r11_setup_flush(seats: int) -> None:
    hands = "pink blue " * seats
    rows = "wild red wild green wild", "wild wild wild pink wild", "blue blue red wild orange"
    state = deal(seats, cards=f"{hands} {rows[0]} {rows[1]} {rows[2]}")
    assert row(state) == rows[2]
    refills = ["refill"] * 5
    assert kinds_of(state.log or []) == ["deal", "flush", *refills, "flush", *refills]
    assert counts(state.discards) == (1, 0, 1, 0, 1, 0, 7)


def test_r11_setup_flush_not_for_two_wilds() -> None:
    state = deal(cards="pink pink pink pink wild red wild green blue")
    assert kinds_of(state.log or []) == ["deal"]


def test_r11_setup_flush_shows_the_row_as_first_turned_up() -> None:
    log = deal(cards="pink pink pink pink wild red wild green wild").log or []
    first, flush = log[:2]
    assert isinstance(first, Deal)
    assert isinstance(flush, Flush)
    assert first.row == flush.cards


@TABLES
def test_r12_setup_deal_contracts(seats: int) -> None:
    ids = [7, 23, 0, 11, 5, 19, 2, 13][: 2 * seats]
    state = deal(seats, contracts=ids)
    assert [list(pair) for pair in state.offers] == [
        [ids[seat], ids[seats + seat]] for seat in range(seats)
    ]
    assert state.undrawn.bit_count() == 24 - 2 * seats


@TABLES
def test_r13_setup_keep_contracts(seats: int) -> None:
    state = deal(seats, contracts=range(2 * seats))
    for seat in range(seats):
        assert state.legal_actions() == [KEEP_FIRST, KEEP_SECOND, KEEP_BOTH]
        play(state, [KEEP_FIRST, KEEP_SECOND, KEEP_BOTH, KEEP_FIRST][seat])
    first, second = 0, seats  # the two offers of seat 0 are numbers 0 and `seats`
    assert state.contracts[0] == 1 << first
    assert state.contracts[1] == 1 << 1 + seats
    assert state.returned[:2] == (second, 1)
    assert state.phase == TURN


def test_r13_setup_keep_contracts_never_none() -> None:
    state = deal()
    for action in (PASS, OFFER):
        with pytest.raises(IllegalAction):
            play(state, action)


def test_r13_setup_keep_contracts_rejected_ones_lie_lowest() -> None:
    tight = small_board(contracts=SMALL["contracts"][:8])
    state = deal(3, board=tight, contracts=range(6))
    keep_all(state, KEEP_FIRST, KEEP_FIRST, KEEP_BOTH)
    assert state.returned == (3, 4)
    assert offer(state, 7, 6)[0].contracts == (7, 6)  # type: ignore[attr-defined]
    play(state, KEEP_BOTH)
    assert offer(state)[0].contracts == (3, 4)  # type: ignore[attr-defined]


@TABLES
def test_r13_choice_is_made_with_hand_and_row_known(seats: int) -> None:
    state = deal(seats, cards="red blue " * seats + "wild wild wild green green " + PLAIN_ROW)
    for seat in state.owing():
        seen = observe(state, seat)
        assert seen.phase == SETUP
        assert (size(seen.hand), list(seen.row)) == (2, state.row)
        assert list(seen.row).count(6) == 0


@TABLES
def test_r14_setup_secret(seats: int) -> None:
    mine = list(range(seats))
    one = deal(seats, contracts=[*mine, *range(10, 10 + seats)])
    two = deal(seats, contracts=[0, *range(20, 19 + seats), 10, *range(4, 3 + seats)])
    assert one.offers[0] == two.offers[0] == (0, 10)
    assert one.offers[1] != two.offers[1]
    assert observe(one, 0) == observe(two, 0)
    shown, hidden = (seen_by(state.log[0], 0) for state in (one, two) if state.log)
    assert shown == hidden
    keep_all(one, *[KEEP_FIRST] * seats)
    keep_all(two, *[KEEP_SECOND] * seats)
    others = [[seen_by(e, 0) for e in (s.log or [])[2:]] for s in (one, two)]
    assert others[0] == others[1]


def test_r14_setup_secret_until_all_have_chosen() -> None:
    state = deal(3)
    before = observe(state, 2)
    play(state, KEEP_BOTH)
    play(state, KEEP_FIRST)
    assert observe(state, 2) == before
    assert before.contract_counts == (0, 0, 0)
    play(state, KEEP_BOTH)
    assert observe(state, 2).contract_counts == (2, 1, 2)


def test_dice_are_asked_for_the_deal_in_order() -> None:
    fate = Fate(others=[1])
    rules = game_rules(2)
    new_game(rules, fate.before(rules))
    streams = [name for name, _ in fate.asked]
    hands = ["hand/0", "hand/1"] * 2
    assert streams == ["first", *hands, *["row"] * 5, *["contract/0", "contract/1"] * 2]
