"""C-a, a2, b, c, f, g, q, r, s: cards, and turns without a legal action."""

from __future__ import annotations

import pytest

from damrak_engine.actions import BLIND, OFFER, PASS, TAKE
from damrak_engine.cards import WORDS, counts
from damrak_engine.errors import IllegalAction
from damrak_engine.events import Blind, End, Reshuffle
from damrak_engine.observation import observe
from damrak_engine.position import SECOND, TURN
from damrak_engine.scoring import result
from damrak_engine.state import State
from positions import (
    PLAIN_ROW,
    blind,
    claim,
    finish,
    hand,
    kinds_of,
    leave,
    pile,
    play,
    position,
    row,
    small_board,
    take,
)

TABLES = pytest.mark.parametrize("seats", [2, 3, 4])
GREY_1, GREY_2, GREY_3, GREY_4 = 8, 9, 18, 4
SLOTS = [TAKE + slot for slot in range(5)]
NO_CARDS = "- - - - -"


# ---- C-a, C-a2: pile and discards --------------------------------------------------------------


def test_c_a_row_may_stay_short() -> None:
    state = position(pile="", rest=1, options={"row_short": "allow"})
    assert kinds_of(take(state, 3)) == ["take"]
    assert row(state) == "pink blue green - red"
    assert set(state.legal_actions()) == {TAKE, TAKE + 1, TAKE + 2, TAKE + 4}
    take(state, 0)
    assert row(state) == "- blue green - red"


def test_c_a_drawing_is_legal_if_one_card_can_be_taken() -> None:
    assert TAKE + 2 in position(row="- - red - -", pile="", rest=1).legal_actions()
    assert BLIND in position(row=PLAIN_ROW, pile="red", rest=1).legal_actions()
    assert BLIND in position(pile="", discards="red", rest=1).legal_actions()
    for word in WORDS:
        last = position(row=NO_CARDS, pile="", discards=word, rest=1)
        assert BLIND in last.legal_actions()
        assert kinds_of(blind(last, word)) == ["reshuffle", "blind"]
    none = position(row=NO_CARDS, pile="", rest=1).legal_actions()
    assert not {BLIND, *SLOTS} & set(none)


def test_c_a_gaps_are_filled_before_the_next_turn() -> None:
    state = position(hands=["red red red"], row="pink - green - -", pile="", rest=1, undrawn=[1, 2])
    events = claim(state, GREY_3, "red")
    assert kinds_of(events) == ["claim", "reshuffle", "refill", "refill", "refill"]
    assert row(state) == "pink red green red red"
    assert (state.actor, state.pile_size, state.discards) == (1, 0, 0)


def test_c_a_gaps_are_filled_in_slot_order_while_there_are_cards() -> None:
    state = position(hands=["red wild"], row="- - - pink -", pile="", rest=1)
    claim(state, GREY_2, "red", 1, cards="wild red")
    assert row(state) == "wild red - pink -"


def test_c_a_gaps_are_filled_when_a_seat_leaves() -> None:
    state = position(3, hands=["red orange"], row="pink - - - -", pile="", rest=1)
    leave(state, 0)
    assert row(state) == "pink red orange - -"


def test_c_a2_lazy_waits_until_a_card_is_needed() -> None:
    state = position(pile="red", discards="blue orange", rest=1, options={"reshuffle": "lazy"})
    assert kinds_of(blind(state, "red")) == ["blind"]
    assert pile(state) == ""
    assert kinds_of(blind(state, "orange")) == ["reshuffle", "blind"]


def test_c_a2_eager_does_it_when_the_last_card_leaves() -> None:
    state = position(pile="red", discards="blue orange", rest=1, options={"reshuffle": "eager"})
    assert kinds_of(blind(state, "red")) == ["blind", "reshuffle"]
    assert pile(state) == "blue orange"
    assert kinds_of(blind(state, "orange")) == ["blind"]


def test_c_a2_eager_after_a_refill() -> None:
    state = position(pile="red", discards="blue orange", rest=1, options={"reshuffle": "eager"})
    assert kinds_of(take(state, 0, "red")) == ["take", "refill", "reshuffle"]


def test_c_a2_eager_without_discards_waits() -> None:
    state = position(hands=["wild wild"], pile="red", rest=1, options={"reshuffle": "eager"})
    assert kinds_of(blind(state, "red")) == ["blind"]
    assert kinds_of(take(state, 0)) == ["take"]
    assert row(state) == "- blue green black red"


def test_c_a2_eager_claim_waits_for_the_next_card() -> None:
    state = position(hands=["wild wild"], pile="", rest=1, options={"reshuffle": "eager"})
    assert kinds_of(claim(state, GREY_2, None, 2)) == ["claim"]
    assert (pile(state), counts(state.discards)[6]) == ("", 2)
    assert kinds_of(blind(state, "wild")) == ["reshuffle", "blind"]


# ---- C-b: the flush ----------------------------------------------------------------------------

THREE_WILD = "wild wild wild pink blue"


def test_c_b_flush_only_if_a_better_row_exists() -> None:
    few = position(
        hands=["red wild wild"],
        row=THREE_WILD,
        pile="",
        rest=1,
        options={"flush_guard": "feasible"},
    )
    events = claim(few, GREY_2, None, 2)
    assert kinds_of(events) == ["claim"], "five wilds and two others: no row has fewer than three"
    enough = position(
        hands=["red wild wild"],
        row=THREE_WILD,
        pile="",
        rest=1,
        options={"flush_guard": "feasible"},
    )
    events = claim(enough, GREY_1, "red", cards="pink blue red wild wild")
    assert kinds_of(events)[:3] == ["claim", "flush", "reshuffle"], "by its payment alone"
    assert row(enough) == "pink blue red wild wild"


def test_c_b_a_claim_can_flush_by_filling_gaps() -> None:
    state = position(hands=["red red wild wild"], row="pink blue wild - -", pile="", rest=1)
    events = claim(state, GREY_4, "red", 2, cards="wild wild red red pink blue wild")
    refills = ["refill", "refill", "reshuffle", "refill", "refill", "refill"]
    assert kinds_of(events) == ["claim", "reshuffle", "refill", "refill", "flush", *refills]
    assert row(state) == "red red pink blue wild"


def test_c_b_between_two_refills_nothing_is_tested() -> None:
    state = position(row="pink wild green wild red")
    events = take(state, 0, "wild wild wild wild red red " + PLAIN_ROW)
    refills = ["refill"] * 5
    assert kinds_of(events) == ["take", "refill", "flush", *refills, "flush", *refills]


def test_c_b_a_short_row_is_never_flushed() -> None:
    state = position(row="wild wild wild - pink", pile="", rest=1)
    assert kinds_of(take(state, 4)) == ["take"]
    assert row(state) == "wild wild wild - -"


def test_c_b_a_blind_card_flushes_nothing() -> None:
    state = position(row=THREE_WILD)
    assert kinds_of(blind(state, "red")) == ["blind"]


def test_c_b_second_card_comes_from_the_new_row() -> None:
    state = position(row="wild wild blue green red")
    take(state, 2, "wild " + PLAIN_ROW)
    assert (state.phase, row(state)) == (SECOND, PLAIN_ROW)
    take(state, 3)
    assert hand(state, 0) == "blue black"


def flushes(guard: str, rows: int) -> int:
    """Return how often a row of three wilds is flushed when `rows` like it would follow."""
    board = small_board(wild_cards=40, cards_per_colour=10)
    state = position(row="pink wild green wild red", options={"flush_guard": guard}, board=board)
    bad = "wild wild wild pink pink "
    events = take(state, 0, "wild " + bad * rows + "pink blue blue blue blue")
    return kinds_of(events).count("flush")


def test_c_b_guards() -> None:
    assert [flushes("feasible", rows) for rows in (0, 1, 4)] == [1, 2, 5]
    assert [flushes("cap3", rows) for rows in (0, 1, 2, 4)] == [1, 2, 3, 3]
    assert [flushes("once", rows) for rows in (0, 1, 4)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("options", "count"),
    [({"flush_guard": "feasible"}, 0), ({"flush_guard": "cap3"}, 3), ({"flush_guard": "once"}, 1)],
)
def test_c_b_guards_with_nothing_better_to_come(options: dict[str, str], count: int) -> None:
    state = position(row="wild wild pink red wild", pile="wild", rest=1, options=options)
    bad = "wild wild pink red wild "
    events = take(state, 2, "wild " + bad.replace("pink ", "wild ") * 3)
    assert kinds_of(events).count("flush") == count


def test_c_b_count_restarts() -> None:
    state = position(row=THREE_WILD, options={"flush_guard": "once"})
    bad = "wild wild wild pink red "
    events = take(state, 3, "green " + bad)
    assert kinds_of(events).count("flush") == 1
    events = take(state, 3, "green " + PLAIN_ROW)
    assert kinds_of(events).count("flush") == 1


# ---- C-c: nothing possible ---------------------------------------------------------------------


def stuck(seats: int, **more: object) -> State:
    """Return a table at which no seat can act: the last seat holds the cards, but has no carts."""
    return position(
        seats,
        row=NO_CARDS,
        pile="",
        rest=seats - 1,
        undrawn=[],
        carts=[9] * (seats - 1) + [0],
        **more,  # type: ignore[arg-type]
    )


@TABLES
def test_c_c_pass_only_when_nothing_is_possible(seats: int) -> None:
    state = stuck(seats, options={"pass": "forced_only"})
    assert state.legal_actions() == [PASS]
    assert kinds_of(play(state, PASS)) == ["pass"]
    assert (state.actor, state.phase, state.turns) == (1, TURN, 1)


def test_c_c_pass_not_while_something_is_possible() -> None:
    state = position(options={"pass": "forced_only"})
    assert PASS not in state.legal_actions()


def test_c_c_voluntary_pass() -> None:
    state = position(options={"pass": "voluntary"})
    assert PASS in state.legal_actions()
    blind(state, "red")
    assert PASS not in state.legal_actions(), "only at the start of a turn"
    take(state, 0)
    play(state, PASS)
    assert (state.actor, state.turns) == (0, 2)


@TABLES
def test_c_c_stalemate(seats: int) -> None:
    state = stuck(seats, options={"stalemate": "score_now"})
    state.carts[-1] = 3
    state.hands[-1] = 0
    state.points[0] = 5
    for _ in range(seats - 1):
        play(state, PASS)
        assert not state.is_over
    assert play(state, PASS)[-1] == End("stalemate")
    places = [row.place for row in result(state).seats]
    assert places == [1] + [2] * (seats - 1)


@TABLES
def test_c_c_stalemate_annulled(seats: int) -> None:
    state = stuck(seats, options={"stalemate": "annul"})
    state.hands[-1] = 0
    state.carts[-1] = 3
    state.points[0] = 5
    for _ in range(seats):
        play(state, PASS)
    ended = result(state)
    assert ended.reason == "stalemate"
    assert [row.total for row in ended.seats] == [5] + [0] * (seats - 1)
    assert [row.place for row in ended.seats] == [1] * seats


def test_c_c_a_leaver_gains_nothing_by_an_annulled_stalemate() -> None:
    state = stuck(3, options={"stalemate": "annul"})
    state.hands[-1] = 0
    state.carts[-1] = 3
    leave(state, 0)
    for _ in range(2):
        play(state, PASS)
    assert [row.place for row in result(state).seats] == [3, 1, 1]


def test_c_c_annul_is_for_stalemates_only() -> None:
    state = position(options={"stalemate": "annul"})
    state.points[0] = 5
    assert [row.place for row in result(finish(state)).seats] == [1, 2]


def test_c_c_a_seat_that_can_act_breaks_the_series() -> None:
    state = stuck(3)
    state.hands[1], state.hands[2] = state.hands[2], 0
    state.carts[2] = 3
    play(state, PASS)
    claim(state, GREY_1, "red")
    assert state.passes == 0
    assert state.legal_actions() != [PASS]


def test_c_c_a_fault_restarts_the_count() -> None:
    state = stuck(4)
    state.hands[-1] = 0
    state.carts[-1] = 3
    play(state, PASS)
    play(state, PASS)
    leave(state, 2)
    assert (state.passes, state.actor) == (0, 3)
    for _ in range(2):
        play(state, PASS)
        assert not state.is_over
    play(state, PASS)
    assert state.end_reason == "stalemate"


@pytest.mark.parametrize("action", [BLIND, TAKE, OFFER])
def test_c_c_any_other_action_restarts_the_count(action: int) -> None:
    state = position(options={"pass": "voluntary"})
    play(state, PASS)
    play(state, action)
    assert state.passes == 0


def test_c_c_voluntary_passes_end_the_game_too() -> None:
    state = position(3, options={"pass": "voluntary"})
    for _ in range(3):
        play(state, PASS)
    assert state.end_reason == "stalemate"


def test_c_c_a_pass_in_the_last_round_is_the_last_turn() -> None:
    state = stuck(2)
    state.last_turns = 0b11
    state.hands[1] = 0
    play(state, PASS)
    assert state.last_turns == 0b10


# ---- C-f, C-g: the second card -----------------------------------------------------------------


def test_c_f_replacement_turned_out_wild() -> None:
    state = position()
    take(state, 2, "wild")
    assert TAKE + 2 not in state.legal_actions()
    with pytest.raises(IllegalAction, match="no wild from the row"):
        take(state, 2)
    assert {BLIND, TAKE} <= set(state.legal_actions())
    blind(state, "wild")
    assert hand(state, 0) == "green wild"


def test_c_g_no_second_card_to_be_had() -> None:
    for others in (NO_CARDS, "wild wild - - -"):
        state = position(row=others.replace("-", "red", 1), pile="", rest=1)
        slot = row(state).split().index("red")
        take(state, slot)
        assert (state.actor, state.phase, hand(state, 0)) == (1, TURN, "red")


def test_c_g_after_the_last_blind_card() -> None:
    state = position(row="wild wild - - -", pile="red", rest=1)
    blind(state, "red")
    assert (state.actor, hand(state, 0)) == (1, "red")


def test_c_g_a_first_wild_is_allowed_if_there_is_nothing_else() -> None:
    state = position(row="wild - - - -", pile="", rest=1, undrawn=[])
    assert state.legal_actions() == [TAKE]
    take(state, 0)
    assert (state.actor, hand(state, 0)) == (1, "wild")


def test_c_g_second_card_mandatory_if_possible() -> None:
    state = position(options={"second_card": "mandatory_if_possible"})
    blind(state, "red")
    assert set(state.legal_actions()) == {BLIND, *SLOTS}


def test_c_g_second_card_optional() -> None:
    state = position(options={"second_card": "optional"})
    assert PASS not in state.legal_actions()
    blind(state, "red")
    assert set(state.legal_actions()) == {BLIND, *SLOTS, PASS}
    play(state, PASS)
    assert (state.actor, state.passes, hand(state, 0)) == (1, 0, "red")


def test_c_g_second_card_optional_cannot_be_had() -> None:
    state = position(
        row="red - - - -", pile="", rest=1, undrawn=[], options={"second_card": "optional"}
    )
    take(state, 0)
    assert state.actor == 1, "the turn is over by itself"


# ---- C-q, C-r, C-s -----------------------------------------------------------------------------


def test_c_q_blind_card_is_seen_before_the_second_choice() -> None:
    state = position(3)
    blind(state, "orange")
    assert state.phase == SECOND
    assert observe(state, 0).hand == 1 << 8 * 5
    assert observe(state, 1).known[0] == 0


def test_c_r_a_new_card_lies_where_the_old_one_lay() -> None:
    for slot in range(5):
        state = position()
        take(state, slot, "orange")
        assert row(state).split()[slot] == "orange"
        assert sorted(row(state).split()) == sorted(
            [*PLAIN_ROW.split()[:slot], "orange", *PLAIN_ROW.split()[slot + 1 :]]
        )


def test_c_r_slots_mean_nothing_else() -> None:
    one, two = position(row="pink blue green black red"), position(row="red green pink blue black")
    assert set(one.legal_actions()) == set(two.legal_actions())


def test_c_s_cards_left_in_hand_are_worth_nothing() -> None:
    rich, poor = position(hands=["wild wild wild wild red"]), position()
    totals = [[row.total for row in result(finish(s)).seats] for s in (rich, poor)]
    assert totals == [[0, 0], [0, 0]]


def test_a_reshuffle_comes_directly_before_its_card() -> None:
    state = position(pile="", discards="blue", rest=1)
    events = blind(state, "blue")
    assert [type(event) for event in events] == [Reshuffle, Blind]
    assert OFFER not in state.legal_actions()
