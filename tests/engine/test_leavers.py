"""A seat that leaves the table (docs/rules.md, section 6; docs/replay.md, section 6)."""

from __future__ import annotations

import pytest

from damrak_engine.actions import BLIND, KEEP_BOTH, KEEP_FIRST, KEEP_SECOND
from damrak_engine.dice import QuickDice
from damrak_engine.errors import MatchError
from damrak_engine.events import FAULTS, Fault
from damrak_engine.position import SETUP, TURN
from damrak_engine.scoring import result
from damrak_engine.state import State
from positions import (
    blind,
    claim,
    deal,
    give_routes,
    hand,
    kinds_of,
    leave,
    offer,
    pack,
    payments,
    play,
    position,
    row,
)

TABLES = pytest.mark.parametrize("seats", [2, 3, 4])
FEW = pytest.mark.parametrize("seats", [3, 4])


def a_turn(state: State) -> list[str]:
    """Draw two blind cards and return the kinds of the events after them."""
    play(state, BLIND)
    return kinds_of(play(state, BLIND))[1:]


@pytest.mark.parametrize("reason", FAULTS)
def test_hand_goes_to_the_discards_and_routes_stay(reason: str) -> None:
    state = position(3, hands=["red blue wild"], contracts=[[4]])
    give_routes(state, 0, 2)
    state.goods[0] = 1
    events = leave(state, 0, reason)
    assert events == [Fault(0, reason)]
    assert (hand(state, 0), state.discards) == ("", pack("red blue wild"))
    assert (state.owned[0], state.goods[0], state.contracts[0]) == (1 << 2, 1, 1 << 4)
    assert (state.actor, state.phase, state.left) == (1, TURN, ((0, reason),))


def test_row_is_settled() -> None:
    state = position(3, hands=["red red blue wild wild"], row="wild wild wild - -", pile="", rest=1)
    events = leave(state, 0, cards="red wild red blue wild red wild")
    refills = ["refill", "refill", "refill", "reshuffle", "refill", "refill"]
    assert kinds_of(events) == ["fault", "reshuffle", "refill", "refill", "flush", *refills]
    assert row(state) == "red blue wild red wild"


@FEW
def test_seat_is_skipped_from_then_on(seats: int) -> None:
    state = position(seats)
    blind(state, "red")
    leave(state, 0)
    order = []
    for _ in range(2 * seats - 2):
        order.append(state.actor)
        a_turn(state)
    assert order == [*range(1, seats)] * 2


@pytest.mark.parametrize("moment", ["turn", "second", "keep"])
def test_it_may_leave_whenever_it_owes_a_decision(moment: str) -> None:
    state = position(3, hands=["red"], undrawn=[7, 3, 5], returned=[9])
    if moment == "second":
        blind(state, "orange")
    if moment == "keep":
        offer(state, 7, 3)
    leave(state, 0)
    assert (state.actor, state.phase) == (1, TURN)
    assert state.returned == ((9, 7, 3) if moment == "keep" else (9,)), "in the order drawn"
    assert state.turns == 0


@TABLES
def test_only_seats_that_owe_a_decision_leave(seats: int) -> None:
    state = position(seats)
    before = state.copy()
    for seat in range(1, seats):
        with pytest.raises(MatchError):
            leave(state, seat)
    assert (state.gone, state.hands, state.actor) == (0, before.hands, 0)


@TABLES
def test_one_seat_left_ends_the_game(seats: int) -> None:
    state = position(seats, hands=["red red"], row="- - - - -", pile="", rest=seats - 1)
    for seat in range(seats - 1):
        events = leave(state, seat)
        assert state.is_over == (seat == seats - 2)
    assert kinds_of(events) == ["fault", "end"], "without refills"
    assert (state.end_reason, state.actor) == ("forfeit", -1)
    places = [row.place for row in result(state).seats]
    assert places == [*range(seats, 0, -1)]


def test_leavers_come_last_regardless_of_points() -> None:
    state = position(4, carts=[9, 9, 1, 9])
    state.points[:] = [50, 40, 3, 2]
    leave(state, 0)
    leave(state, 1, "timeout")
    while not state.is_over:
        a_turn(state)
    ended = result(state)
    assert [row.place for row in ended.seats] == [4, 3, 1, 2]
    assert [row.fault for row in ended.seats] == ["crash", "timeout", None, None]
    assert [row.total for row in ended.seats] == [50, 40, 3, 2]
    assert ended.winners == (2,)


def test_leavers_count_in_the_goods_ranks_and_the_bonus_column() -> None:
    state = position(4, carts=[9, 9, 1, 9])
    state.goods[:] = [3, 0, 2, 1]
    leave(state, 0)
    while not state.is_over:
        a_turn(state)
    assert [row.goods for row in result(state).seats] == [8, 0, 6, 4]


def test_double_routes_go_by_the_seats_at_the_start() -> None:
    state = position(3, hands=["", "black red", "black red"])
    leave(state, 0)
    claim(state, 10, "black")
    assert payments(state, 11) == {("red", 0)}


@FEW
def test_its_last_turn_is_used_up(seats: int) -> None:
    state = position(seats, carts=[2] + [9] * (seats - 1))
    assert a_turn(state) == ["last_round"]
    leave(state, 1)
    for _ in range(seats - 2):
        kinds = a_turn(state)
    assert (kinds, state.actor) == (["end"] if seats == 2 else [], 0)
    a_turn(state)
    assert state.end_reason == "carts"


def test_leaving_in_the_very_last_turn_ends_the_game() -> None:
    state = position(3, carts=[2, 9, 9])
    for _ in range(3):
        a_turn(state)
    assert kinds_of(leave(state, 0)) == ["fault", "end"]
    assert state.end_reason == "carts"


def test_a_broken_turn_announces_nothing() -> None:
    state = position(3, carts=[2, 9, 9])
    blind(state, "red")
    assert kinds_of(leave(state, 0)) == ["fault"]
    assert not state.last_turns


# ---- at set-up ---------------------------------------------------------------------------------


@FEW
def test_at_set_up_a_fault_replaces_the_keep(seats: int) -> None:
    state = deal(seats, contracts=range(2 * seats))
    play(state, KEEP_FIRST)
    leave(state, 1)
    assert (state.actor, state.phase) == (2, SETUP)
    for _ in range(2, seats):
        play(state, KEEP_SECOND)
    assert (state.actor, state.phase) == (0, TURN)
    assert state.returned[:3] == (seats, 1, seats + 1)
    assert state.contracts[1] == 0


def test_at_set_up_the_first_player_may_be_the_one_to_leave() -> None:
    state = deal(3, first=1)
    leave(state, 1)
    play(state, KEEP_BOTH)
    play(state, KEEP_BOTH)
    assert state.actor == 2


def test_at_set_up_seats_leave_in_turn_order() -> None:
    state = deal(4, first=2)
    for seat in (3, 0, 1):
        with pytest.raises(MatchError):
            leave(state, seat)
    assert state.gone == 0


def test_at_set_up_a_fault_that_leaves_one_seat_may_come_early() -> None:
    state = deal(3)
    leave(state, 0)
    assert state.owing() == [1, 2]
    events = leave(state, 2)
    assert kinds_of(events) == ["fault", "end"]
    assert state.end_reason == "forfeit"
    assert state.contracts == (0, 0, 0), "keeps not yet written are never written"
    two = deal(2, first=0)
    leave(two, 1)
    assert two.end_reason == "forfeit"


def test_at_set_up_not_early_when_chosen_in_turn_order() -> None:
    state = deal(2, options={"initial_choice": "in_turn_order"})
    with pytest.raises(MatchError):
        leave(state, 1)


def test_at_set_up_a_seat_that_chose_cannot_leave_before_its_turn() -> None:
    state = deal(3)
    play(state, KEEP_BOTH)
    with pytest.raises(MatchError):
        state.leave(0, "crash", "", QuickDice(lambda: 0.0))
