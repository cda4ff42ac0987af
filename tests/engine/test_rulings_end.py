"""C-h, l, m, v, w: the end of the game. C-o, C-p: seats and their knowledge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from damrak_engine.actions import BLIND, KEEP_BOTH, OFFER, PASS, TAKE
from damrak_engine.cards import size
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.errors import EngineError, OptionsError
from damrak_engine.events import Blind, Take, seen_by
from damrak_engine.observation import observe
from damrak_engine.scoring import result, totals
from damrak_engine.state import State
from positions import (
    Fate,
    blind,
    claim,
    deal,
    finish,
    game_rules,
    give_routes,
    kinds_of,
    leave,
    offer,
    pack,
    play,
    position,
    take,
)
from strategies import random_game

TABLES = pytest.mark.parametrize("seats", [2, 3, 4])
GREEN_2 = 2


def a_turn(state: State) -> list[str]:
    """Draw two blind cards and return the kinds of the events after them."""
    play(state, BLIND)
    return kinds_of(play(state, BLIND))[1:]


# ---- C-h: long games ---------------------------------------------------------------------------


@TABLES
def test_c_h_games_end_within_the_bound(seats: int) -> None:
    for number in range(60):
        log = random_game(game_rules(seats), number)
        turns = [e for e in log if e.kind in ("claim", "offer", "blind", "take")]
        assert len(turns) <= 68 + 29 * seats
        assert log[-1].kind == "end"


def test_c_h_all_seats_only_draw() -> None:
    for seats in (2, 3, 4):
        state = deal(seats)
        for _ in range(seats):
            play(state, KEEP_BOTH)
        cards = 0
        while BLIND in state.legal_actions():
            play(state, BLIND)
            cards += 1
        assert cards == 44 - 2 * seats - 5, "then only the row is left"


def test_c_h_turn_limit() -> None:
    state = position(3, options={"turn_limit": "4"})
    for _ in range(3):
        assert a_turn(state) == []
    assert a_turn(state) == ["end"]
    assert (state.end_reason, state.turns) == ("turn_limit", 4)


def test_c_h_turn_limit_off() -> None:
    state = position(2, options={"turn_limit": "off"})
    for _ in range(8):
        a_turn(state)
    assert not state.is_over


def test_c_h_turn_limit_with_voluntary_passes() -> None:
    state = position(2, options={"turn_limit": "3", "pass": "voluntary"})
    play(state, PASS)
    a_turn(state)
    assert kinds_of(play(state, PASS)) == ["pass", "end"]
    assert state.end_reason == "turn_limit"


def test_c_h_turn_limit_comes_after_last_round_and_the_other_ends() -> None:
    state = position(2, carts=[2], options={"turn_limit": "1"})
    assert a_turn(state) == ["last_round", "end"]
    assert state.end_reason == "turn_limit"
    both = position(2, carts=[2], options={"turn_limit": "3"})
    for _ in range(3):
        a_turn(both)
    assert both.end_reason == "carts"


def test_c_h_turn_limit_does_not_count_a_broken_turn() -> None:
    state = position(3, options={"turn_limit": "2"})
    play(state, BLIND)
    leave(state, 0)
    assert state.turns == 0
    a_turn(state)
    assert a_turn(state) == ["end"]


# ---- C-l: few carts ----------------------------------------------------------------------------


@TABLES
def test_c_l_only_the_first_announcement_counts(seats: int) -> None:
    state = position(seats, carts=[2] * seats, options={"equal_turns": "off"})
    assert a_turn(state) == ["last_round"]
    turns = 0
    while not state.is_over:
        kinds = a_turn(state)
        assert "last_round" not in kinds
        turns += 1
    assert turns == seats


def test_c_l_without_carts_there_is_still_a_last_turn() -> None:
    state = position(carts=[2, 0])
    a_turn(state)
    assert state.actor == 1
    assert {BLIND, OFFER} <= set(state.legal_actions())
    a_turn(state)
    assert state.actor == 0


@TABLES
@pytest.mark.parametrize("first", [0, 1])
def test_c_l_turns_need_not_be_equal(seats: int, first: int) -> None:
    for trigger in range(seats):
        assert set(turns_of(seats, first, trigger, {"equal_turns": "off"})) <= {2, 3}


@TABLES
@pytest.mark.parametrize("first", [0, 1])
def test_c_l_equal_turns(seats: int, first: int) -> None:
    for trigger in range(seats):
        assert turns_of(seats, first, trigger, {"equal_turns": "on"}) == [3] * seats


def turns_of(seats: int, first: int, trigger: int, options: dict[str, str]) -> list[int]:
    """Return the turns of each seat if `trigger` has few carts in its second turn."""
    state = position(seats, actor=first, first=first, options=options)
    turns = [0] * seats
    while not state.is_over:
        actor = state.actor
        turns[actor] += 1
        if actor == trigger and turns[actor] == 2:
            state.carts[actor] = 1
        kinds = a_turn(state)
        assert kinds.count("last_round") == (actor == trigger and turns[actor] == 2)
    assert state.end_reason == "carts"
    return turns


def test_c_l_equal_turns_goes_by_who_is_left() -> None:
    state = position(3, first=1, actor=1, carts=[9, 2, 9], options={"equal_turns": "on"})
    assert a_turn(state) == ["last_round"]
    a_turn(state)
    leave(state, 0)
    order = []
    while not state.is_over:
        order.append(state.actor)
        a_turn(state)
    assert order == [1, 2]


# ---- C-m, C-v, C-w -----------------------------------------------------------------------------


def test_c_m_below_zero() -> None:
    state = position(contracts=[[23], [22, 21]])
    state.points[:] = [1, 8]
    ended = result(finish(state))
    assert [row.total for row in ended.seats] == [1 - 9, 8 - 16]
    state.points[1] = 7
    ended = result(state)
    assert [row.total for row in ended.seats] == [-8, -9]
    assert [row.place for row in ended.seats] == [1, 2]


def test_c_m_the_track_shows_route_points_only() -> None:
    state = position(contracts=[[23], [22, 21]])
    assert observe(state, 0).points == (0, 0)


def tied(seats: int, options: dict[str, str], goods: tuple[int, ...] = ()) -> State:
    """Return a finished game in which all have the same total and no contracts."""
    state = position(seats, options=options)
    state.goods[: len(goods)] = goods
    state.points[:] = [20 - total for total in totals(state)]
    return finish(state)


@TABLES
def test_c_v_shared(seats: int) -> None:
    ended = result(tied(seats, {"final_tie": "shared"}, (2, 1)))
    assert ended.winners == tuple(range(seats))


@TABLES
def test_c_v_goods(seats: int) -> None:
    goods = (1, 3, 1, 0)[:seats]
    ended = result(tied(seats, {"final_tie": "goods"}, goods))
    assert [row.place for row in ended.seats] == [2, 1, 2, 4][:seats]


def test_c_v_goods_come_after_fulfilled_contracts() -> None:
    state = tied(2, {"final_tie": "goods"}, (3, 1))
    state.contracts = (0, 1)
    give_routes(state, 1, 40, 42, 8)
    state.points[1] -= 2
    assert [row.place for row in result(state).seats] == [2, 1]


def test_c_v_seed_draw() -> None:
    state = tied(4, {"final_tie": "seed draw"})
    fate = Fate(others=[2, 0, 1])
    ended = result(state, fate.watch(state))
    assert fate.asked == [("tie", 4), ("tie", 3), ("tie", 2)]
    assert [row.place for row in ended.seats] == [2, 4, 1, 3]
    with pytest.raises(EngineError, match="needs the dice"):
        result(state)


def test_c_v_seed_draw_group_by_group() -> None:
    state = tied(4, {"final_tie": "seed draw"})
    state.points[:] = [5, 9, 9, 5]
    fate = Fate(others=[1, 1])
    ended = result(state, fate.watch(state))
    assert fate.asked == [("tie", 2), ("tie", 2)]
    assert [row.place for row in ended.seats] == [4, 2, 1, 3]


def test_c_v_seed_draw_never_moves_a_leaver() -> None:
    state = position(3, options={"final_tie": "seed draw"})
    leave(state, 0)
    finish(state)
    fate = Fate(others=[1])
    assert [row.place for row in result(state, fate.watch(state)).seats] == [3, 2, 1]
    assert fate.asked == [("tie", 2)]


def test_c_w_useless_last_turns() -> None:
    state = position(carts=[0, 0], undrawn=[23, 22, 21])
    a_turn(state)
    assert state.last_turns
    assert {BLIND, OFFER, *range(TAKE, TAKE + 5)} <= set(state.legal_actions())
    offer(state, 23, 22)
    play(state, KEEP_BOTH)
    a_turn(state)
    assert result(state).seats[1].total == -9 - 8


# ---- C-o, C-p ----------------------------------------------------------------------------------


@TABLES
def test_c_o_dice_choose_the_first_player(seats: int) -> None:
    rules = game_rules(seats, {"first_player": "random"})
    for first in range(seats):
        fate = Fate(others=[first])
        assert new_game(rules, fate.before(rules)).first == first
        assert fate.asked[0] == ("first", seats)
    chosen = {new_game(rules, SeedDice(bytes([i]) * 32)).first for i in range(40)}
    assert chosen == set(range(seats))


@TABLES
def test_c_o_a_named_seat_begins(seats: int) -> None:
    named = [
        {"first_player": "seat 0"},
        {"first_player": "seat 1"},
        {"first_player": "seat 2"},
        {"first_player": "seat 3"},
    ]
    for seat, options in enumerate(named):
        rules = game_rules(seats, options)
        fate = Fate()
        if seat < seats:
            assert new_game(rules, fate.before(rules)).first == seat
            assert "first" not in [name for name, _ in fate.asked]
        else:
            with pytest.raises(OptionsError):
                new_game(rules, fate.before(rules))


def test_c_o_rotate_lets_the_caller_name_the_seat() -> None:
    rules = game_rules(3, {"first_player": "rotate"})
    for first in range(3):
        fate = Fate()
        assert new_game(rules, fate.before(rules), None, first).first == first
        assert "first" not in [name for name, _ in fate.asked]
    for wrong in (None, 3, -1):
        with pytest.raises(OptionsError):
            new_game(rules, Fate().before(rules), None, wrong)
    with pytest.raises(OptionsError):
        new_game(game_rules(3), SeedDice(bytes(32)), None, 1)


@TABLES
def test_c_p_what_everyone_knows(seats: int) -> None:
    state = position(
        seats,
        hands=["green green", *["pink red blue"] * (seats - 1)],
        discards="black",
        options={"hand_size_public": "yes"},
    )
    claim(state, GREEN_2, "green")
    for seat in range(seats):
        seen = observe(state, seat)
        assert list(seen.row) == state.row
        assert seen.discards == pack("black green green")
        assert list(seen.carts) == state.carts
        assert list(seen.owned) == state.owned
        assert list(seen.goods) == state.goods
        assert list(seen.points) == state.points
        assert seen.pile_size == state.pile_size
        assert seen.hand_sizes == tuple(size(cards) for cards in state.hands)


def test_c_p_hands_are_hidden() -> None:
    one = position(hands=["green", "pink red"])
    two = position(hands=["green", "blue wild"])
    assert observe(one, 0) == observe(two, 0)
    assert observe(one, 1) != observe(two, 1)


def test_c_p_cards_of_the_row_are_known_and_blind_ones_are_not() -> None:
    state = position(3)
    events = [*take(state, 0), *blind(state, "orange")]
    first, second = (seen_by(events[i], 1) for i in (0, -1))
    assert isinstance(first, Take)
    assert first.card.word == "pink"
    assert isinstance(second, Blind)
    assert second.card is None
    assert observe(state, 1).known == (pack("pink"), 0, 0)


def test_c_p_what_was_known_goes_with_the_payment() -> None:
    state = position(hands=["green", "red"])
    take(state, 2)
    blind(state, "orange")
    assert state.known[0] == pack("green")
    state.actor, state.legal = 0, -1
    claim(state, GREEN_2, "green")
    assert state.known[0] == 0
    assert state.hands[0] == pack("orange")


@TABLES
def test_c_p_hand_size_hidden(seats: int) -> None:
    state = position(seats, hands=["green"], options={"hand_size_public": "no"})
    for seat in range(seats):
        assert observe(state, seat).hand_sizes is None
    other = position(seats, hands=["green", "red red"], options={"hand_size_public": "no"})
    other.pile_size = state.pile_size
    seen, other_seen = observe(state, 0), observe(other, 0)
    assert (seen.counted_sizes[1], other_seen.counted_sizes[1]) == (0, 2), "as anyone can count"
    assert replace(seen, counted_sizes=()) == replace(other_seen, counted_sizes=())


def test_c_p_contracts_of_a_leaver_stay_hidden_and_its_hand_does_not() -> None:
    state = position(3, hands=["red blue"], contracts=[[4], [5], [6]])
    leave(state, 0)
    seen = observe(state, 1)
    assert seen.discards == pack("red blue")
    assert (seen.contracts, seen.contract_counts) == (1 << 5, (1, 1, 1))
