"""R15 to R24: turns, and drawing transport cards."""

from __future__ import annotations

import pytest

from damrak_engine.actions import BLIND, KEEP_BOTH, KEEP_FIRST, PASS, TAKE
from damrak_engine.cards import counts, size
from damrak_engine.errors import IllegalAction
from damrak_engine.position import KEEP, SECOND, TURN
from damrak_engine.state import State
from positions import (
    PLAIN_ROW,
    blind,
    claim,
    deal,
    hand,
    kinds_of,
    offer,
    payments,
    pile,
    play,
    position,
    row,
    take,
)

TABLES = pytest.mark.parametrize("seats", [2, 3, 4])
SLOTS = [TAKE + slot for slot in range(5)]


def offers_only(state: State, *actions: int) -> bool:
    """Return whether exactly these actions are legal."""
    return set(state.legal_actions()) == set(actions)


@TABLES
def test_r15_turn_order(seats: int) -> None:
    for first in range(seats):
        state = deal(seats, first=first)
        for _ in range(seats):
            play(state, KEEP_BOTH)
        order = []
        for _ in range(2 * seats):
            order.append(state.actor)
            play(state, BLIND)
            play(state, BLIND)
        assert order == [(first + turn) % seats for turn in range(2 * seats)]


def test_r16_one_action_of_three() -> None:
    claimed = position(hands=["pink pink pink"])
    claim(claimed, 0, "pink")
    assert (claimed.actor, claimed.phase) == (1, TURN)
    drawing = position(hands=["pink pink pink"])
    blind(drawing, "pink")
    assert (drawing.actor, drawing.phase) == (0, SECOND)
    assert offers_only(drawing, BLIND, *SLOTS)
    choosing = position(hands=["pink pink pink"])
    offer(choosing)
    assert (choosing.actor, choosing.phase) == (0, KEEP)
    play(choosing, KEEP_FIRST)
    assert (choosing.actor, choosing.phase) == (1, TURN)


def test_r16_one_action_no_pass_while_one_is_legal() -> None:
    nothing_but = {
        "a claim": position(hands=["pink pink"], row="- - - - -", pile="", rest=1, undrawn=[]),
        "a card": position(row="red - - - -", pile="", rest=1, undrawn=[]),
        "a contract": position(row="- - - - -", pile="", rest=1, undrawn=[4]),
    }
    for state in nothing_but.values():
        assert state.legal_actions()
        assert PASS not in state.legal_actions()
        with pytest.raises(IllegalAction):
            play(state, PASS)


@pytest.mark.parametrize("first", ["blind", "row"])
@pytest.mark.parametrize("second", ["blind", "row"])
def test_r17_draw_two(first: str, second: str) -> None:
    state = position()
    for source in (first, second):
        assert state.actor == 0
        assert BLIND in state.legal_actions()
        assert set(SLOTS) <= set(state.legal_actions())
        blind(state, "orange") if source == "blind" else take(state, 4, "red")
    assert hand(state, 0).split() == ["red"] * [first, second].count("row") + ["orange"] * [
        first,
        second,
    ].count("blind")
    assert (state.actor, state.phase) == (1, TURN)


def test_r18_row_refill() -> None:
    state = position()
    events = take(state, 1, "orange")
    assert kinds_of(events) == ["take", "refill"]
    assert row(state) == "pink orange green black red"
    assert state.phase == SECOND
    take(state, 1, "blue")
    assert hand(state, 0) == "blue orange"
    assert row(state) == PLAIN_ROW


def test_r19_faceup_wild_first() -> None:
    state = position(row="pink wild green black red")
    take(state, 1, "blue")
    assert hand(state, 0) == "wild"
    assert (state.actor, state.phase) == (1, TURN)


@pytest.mark.parametrize("first", ["blind", "row"])
def test_r20_faceup_wild_second(first: str) -> None:
    state = position(row="pink wild green black red")
    blind(state, "red") if first == "blind" else take(state, 0, "orange")
    assert offers_only(state, BLIND, *(a for a in SLOTS if a != TAKE + 1))
    with pytest.raises(IllegalAction):
        take(state, 1)


def test_r20_faceup_wild_second_not_even_a_fresh_one() -> None:
    state = position()
    take(state, 2, "wild")
    assert offers_only(state, BLIND, *(a for a in SLOTS if a != TAKE + 2))


def test_r21_blind_wild() -> None:
    state = position()
    blind(state, "wild")
    assert (state.actor, state.phase) == (0, SECOND)
    assert offers_only(state, BLIND, *SLOTS)
    blind(state, "wild")
    assert hand(state, 0) == "wild wild"
    assert state.actor == 1


def test_r22_flush_between_the_cards() -> None:
    state = position(row="pink wild green wild red")
    events = take(state, 0, "wild " + PLAIN_ROW)
    assert kinds_of(events) == ["take", "refill", "flush", *["refill"] * 5]
    assert row(state) == PLAIN_ROW
    assert counts(state.discards) == (0, 0, 1, 0, 1, 0, 3)
    assert state.phase == SECOND
    take(state, 3, "orange")
    assert hand(state, 0) == "pink black"


def test_r22_flush_after_the_second_card() -> None:
    state = position(row="pink wild green wild red")
    blind(state, "blue")
    events = take(state, 4, "wild " + PLAIN_ROW)
    assert kinds_of(events) == ["take", "refill", "flush", *["refill"] * 5]
    assert (row(state), state.actor) == (PLAIN_ROW, 1)


def test_r22_flush_after_a_lone_wild() -> None:
    state = position(row="pink wild green wild red")
    events = take(state, 1, "blue")
    assert "flush" not in kinds_of(events)
    again = position(row="wild wild green wild red", discards="pink")
    events = take(again, 1, "wild " + PLAIN_ROW)
    assert kinds_of(events)[2] == "flush"


def test_r22_flush_repeats() -> None:
    state = position(row="pink wild green wild red")
    bad = "wild blue wild blue wild"
    events = take(state, 0, f"wild {bad} {PLAIN_ROW}")
    assert kinds_of(events).count("flush") == 2
    assert row(state) == PLAIN_ROW


def test_r22_flush_needs_three() -> None:
    state = position(row="pink wild green black red")
    events = take(state, 0, "wild")
    assert kinds_of(events) == ["take", "refill"]


def test_r23_no_hand_limit() -> None:
    state = position(pile="red", rest=0)
    assert size(state.hands[0]) == 38
    blind(state, "red")
    take(state, 0)
    assert size(state.hands[0]) == 40


def test_r24_reshuffle() -> None:
    state = position(pile="red", discards="blue blue", rest=1)
    blind(state, "red")
    assert (pile(state), state.discards) == ("", 2 * (1 << 8))
    events = blind(state, "blue")
    assert kinds_of(events) == ["reshuffle", "blind"]
    assert (hand(state, 0), pile(state), state.discards) == ("blue red", "blue", 0)


def test_r24_reshuffle_for_the_row() -> None:
    state = position(pile="", discards="blue orange", rest=1)
    events = take(state, 0, "orange")
    assert kinds_of(events) == ["take", "reshuffle", "refill"]
    assert row(state) == "orange blue green black red"
    assert pile(state) == "blue"


def test_payments_reports_what_is_legal() -> None:
    assert payments(position(hands=["pink pink"]), 0) == {("pink", 0)}
