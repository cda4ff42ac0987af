"""The arbiter as tables of (input, time) and effects, without waiting."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

import pytest

from damrak_engine import scoring
from damrak_engine.block import rotations
from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.effects import (
    DETAIL_LIMIT,
    Ask,
    Effect,
    FaultRecord,
    Finished,
    Rejected,
    Stale,
    Tell,
    Voided,
    Why,
)
from damrak_engine.errors import MatchError
from damrak_engine.events import (
    Decision,
    End,
    Event,
    Fault,
    Keep,
    event_from_json,
    event_to_json,
    seen_by,
)
from damrak_engine.match import Match
from damrak_engine.observation import observe
from damrak_engine.options import DEFAULTS, Options
from damrak_engine.rules import rules_for

AMSTERDAM = load_board("amsterdam")
SEED = bytes(32)  # seat 1 of two is the first player
KEEP_FIRST, KEEP_BOTH = 7, 9
BLIND, OFFER = 0, 6
S = 1_000_000
CONTROL = TimeControl(decision_ms=10_000, bank_ms=60_000, increment_ms=1_000, grace_ms=30_000)

Kind = TypeVar("Kind", bound=Effect)


def dealt(seats: int = 2, control: TimeControl = CONTROL, options: Options = DEFAULTS) -> Match:
    """Return a match that has not begun."""
    return Match(rules_for(AMSTERDAM, seats, options), SeedDice(SEED), control)


def begun(seats: int = 2, control: TimeControl = CONTROL, options: Options = DEFAULTS) -> Match:
    """Return a match in which all seats owe the choice of their first contracts."""
    match = dealt(seats, control, options)
    match.begin(0)
    return match


def playing(seats: int = 2, control: TimeControl = CONTROL) -> tuple[Match, Ask]:
    """Return a match after its set-up, and the question to the first player."""
    match = dealt(seats, control)
    for ask in only(Ask, match.begin(0)):
        effects = match.decided(ask.seat, ask.decision, KEEP_FIRST, 0)
    (question,) = only(Ask, effects)
    return match, question


def only(kind: type[Kind], effects: Iterable[Effect]) -> list[Kind]:
    """Return the effects of one kind."""
    return [effect for effect in effects if isinstance(effect, kind)]


def kinds(effects: Iterable[Effect | Event]) -> list[str]:
    """Return the class names of the effects or events, in order."""
    return [type(effect).__name__ for effect in effects]


def play_out(match: Match, question: Ask, now: int = 0) -> list[Effect]:
    """Answer every question with the last legal action; return the effects of the last answer."""
    while True:
        effects = match.decided(question.seat, question.decision, question.legal[-1], now)
        if match.is_over:
            return effects
        (question,) = only(Ask, effects)


# ---- set-up -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_seats_receive_the_deal_and_are_asked_at_once(seats: int) -> None:
    match = dealt(seats)
    effects = match.begin(5 * S)
    turn_order = [(match.state.first + i) % seats for i in range(seats)]
    assert kinds(effects) == ["Tell"] * seats + ["Ask"] * seats
    for seat, tell in enumerate(only(Tell, effects)):
        assert tell == Tell(seat, tuple(seen_by(event, seat) for event in match.log))
    fresh = new_game(match.rules, SeedDice(SEED))
    assert only(Ask, effects) == [
        Ask(seat, i, observe(fresh, seat), [7, 8, 9], TimeLeft(10 * S, 60 * S))
        for i, seat in enumerate(turn_order, 1)
    ]
    assert match.next_deadline() == 15 * S


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_keeps_are_in_turn_order_not_order_of_choice(order: tuple[int, ...]) -> None:
    match = dealt(3)
    asks = {ask.seat: ask for ask in only(Ask, match.begin(0))}
    for seat in order[:-1]:
        assert match.decided(seat, asks[seat].decision, KEEP_BOTH, 2 * S) == []
    effects = match.decided(order[-1], asks[order[-1]].decision, KEEP_BOTH, 3 * S)
    assert kinds(effects) == ["Tell", "Tell", "Tell", "Ask"]
    keeps = [event for event in match.log if isinstance(event, Keep)]
    first = match.state.first
    assert [keep.seat for keep in keeps] == [(first + i) % 3 for i in range(3)]
    assert {keep.seat: keep.ms for keep in keeps} == {
        order[0]: 2000,
        order[1]: 2000,
        order[2]: 3000,
    }
    assert only(Ask, effects)[0].seat == first


def test_a_fault_at_set_up_waits_for_its_place() -> None:
    match = begun(3)
    first = match.state.first
    order = [(first + i) % 3 for i in range(3)]
    assert match.failed(order[1], "crash", "boom", "bot", 1 * S) == []
    assert match.decided(order[2], 3, KEEP_FIRST, 1 * S) == []
    match.decided(order[0], 1, KEEP_FIRST, 1 * S)
    chosen = [event for event in match.log if isinstance(event, Keep | Fault)]
    assert [event.seat for event in chosen] == order
    assert kinds(chosen) == ["Keep", "Fault", "Keep"]
    assert match.faults[0].event == match.log.index(chosen[1])


def test_the_log_does_not_depend_on_who_fails_faster() -> None:
    logs = []
    for fault_at, keep_at in [(1 * S, 2 * S), (2 * S, 1 * S)]:
        match = begun()
        for now in sorted((fault_at, keep_at)):
            if now == fault_at:
                match.failed(0, "crash", "", "bot", now)
            else:
                match.decided(1, 1, KEEP_FIRST, now)
        logs.append(match.log)
    assert logs[0] == logs[1]
    assert kinds(logs[0])[-3:] == ["Keep", "Fault", "End"]


def test_without_any_bot_the_last_in_turn_order_is_left() -> None:
    match = begun()
    effects = match.tick(10 * S)
    assert kinds(effects) == ["Tell", "Tell", "Finished"]
    assert match.log[-2:] == [Fault(1, "timeout", "no answer within 10000 ms"), End("forfeit")]
    assert {record.seat: record.event for record in match.faults} == {1: 1, 0: None}


def test_an_accepted_choice_is_kept_if_the_seat_fails_before_it_is_written() -> None:
    match = begun()
    match.decided(0, 2, KEEP_BOTH, 0)
    match.failed(0, "crash", "after its choice", "bot", 1 * S)
    match.decided(1, 1, KEEP_BOTH, 2 * S)
    assert kinds(match.log[1:]) == ["Keep", "Keep"]
    assert match.faults == [FaultRecord(0, "crash", "bot", "after its choice")]


def test_one_after_the_other_is_asked_where_the_options_say_so() -> None:
    match = dealt(3, options=Options(initial_choice="in_turn_order"))
    (ask,) = only(Ask, match.begin(0))
    for _ in range(2):
        effects = match.decided(ask.seat, ask.decision, KEEP_FIRST, 0)
        assert kinds(effects) == ["Tell", "Tell", "Tell", "Ask"]
        (ask,) = only(Ask, effects)


def test_a_match_begins_once() -> None:
    match = begun()
    with pytest.raises(MatchError, match="begins once"):
        match.begin(0)


def test_a_seat_may_fail_before_the_match_begins() -> None:
    match = dealt()
    assert match.failed(0, "crash", "cannot be imported", "bot", 0) == []
    assert [ask.seat for ask in only(Ask, match.begin(1))] == [1]


# ---- a decision ---------------------------------------------------------------------------------


def test_a_decision_is_logged_sent_and_followed_by_the_next_question() -> None:
    match, question = playing()
    seat = question.seat
    length = len(match.log)
    effects = match.decided(seat, question.decision, BLIND, 2_500_999, "lucky")
    assert kinds(effects) == ["Tell", "Tell", "Ask"]
    (event,) = match.log[length:]
    assert isinstance(event, Decision)
    assert (event.ms, event.note) == (2500, "lucky")
    for tell in only(Tell, effects):
        (told,) = tell.events
        assert isinstance(told, Decision)
        assert told == seen_by(event, tell.seat)
        assert (told.ms, told.note) == ((2500, "lucky") if tell.seat == seat else (None, None))
    (second,) = only(Ask, effects)
    assert second == Ask(
        seat,
        question.decision + 1,
        observe(match.state, seat),
        match.state.legal_actions(),
        TimeLeft(10 * S, 60 * S + 2 * S - 2_500_999),  # two increments: the keep and the card
    )


def test_a_game_played_out_ends_with_its_result() -> None:
    match, question = playing(3)
    effects = play_out(match, question)
    assert kinds(effects) == ["Tell", "Tell", "Tell", "Finished"]
    assert effects[-1] == Finished(scoring.result(match.state))
    assert match.result == scoring.result(match.state)
    assert match.next_deadline() is None
    assert match.faults == []


def test_a_reshuffle_before_a_blind_card_does_not_get_the_note() -> None:
    match, question = playing()
    marked = 0
    while not match.is_over:  # draw until the discards have become the pile
        action = BLIND if BLIND in question.legal else question.legal[-1]
        asks = only(Ask, match.decided(question.seat, question.decision, action, 0, note="mine"))
        question = asks[0] if asks else question
        marked += 1
    places = [i for i, kind in enumerate(kinds(match.log)) if kind == "Reshuffle"]
    assert any(kinds(match.log)[i + 1] == "Blind" for i in places)
    noted = [event for event in match.log if isinstance(event, Decision) and event.note]
    assert len(noted) == marked


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("to the market", "to the market"),
        ("x" * 281, "x" * 280),
        ("\U0001f6b2" * 300, "\U0001f6b2" * 280),
        ("a\ud800b\udfff", "a\ufffdb\ufffd"),
        ("\ud83d\udeb2", "\U0001f6b2"),  # a valid surrogate pair
        ("\ud83d\udeb2" * 300, "\U0001f6b2" * 280),
        ("", None),
        (None, None),
        (7, None),
        (b"bytes", None),
    ],
)
def test_a_note_is_shortened_to_fit(said: object, kept: str | None) -> None:
    match, question = playing()
    match.decided(question.seat, question.decision, BLIND, 0, said)
    event = match.log[-1]
    assert isinstance(event, Decision)
    assert event.note == kept
    line = json.dumps(event_to_json(event), ensure_ascii=False).encode()
    assert event_from_json(json.loads(line)) == event


# ---- strikes ------------------------------------------------------------------------------------

NONSENSE = [None, "7", 7.0, True, [7], -1, 10_000, -(10**30), 10**5000]


@pytest.mark.parametrize("action", NONSENSE, ids=lambda action: str(type(action)))
def test_invalid_action_is_a_strike(action: object) -> None:
    match, question = playing()
    effects = match.decided(question.seat, question.decision, action, 1 * S)
    (refusal,) = only(Rejected, effects)
    assert kinds(effects) == ["Rejected"]
    assert "0 to" in refusal.reason
    assert refusal.strikes_left == 2


@pytest.mark.parametrize("action", [BLIND, 10, 11])
def test_only_contracts_are_chosen_at_set_up(action: int) -> None:
    match = begun()
    for seat, decision in [(1, 1), (0, 2)]:
        (refusal,) = match.decided(seat, decision, action, 0)
        assert isinstance(refusal, Rejected)
        assert refusal.reason.endswith("first contracts are being chosen")


def test_a_rejected_action_changes_nothing_and_the_clock_runs_on() -> None:
    match, question = playing()
    before = list(match.log)
    deadline = match.next_deadline()
    (refusal,) = match.decided(question.seat, question.decision, KEEP_BOTH, 4 * S)
    assert refusal == Rejected(
        question.seat,
        question.decision,
        "cannot keep both contracts now",
        TimeLeft(6 * S, 57 * S),
        2,
    )
    assert match.log == before
    assert match.next_deadline() == deadline
    match.decided(question.seat, question.decision, BLIND, 5 * S)
    event = match.log[-1]
    assert isinstance(event, Decision)
    assert event.ms == 5000


def test_strikes_are_counted_over_the_whole_match() -> None:
    match, question = playing()
    seat = question.seat
    match.decided(seat, question.decision, KEEP_BOTH, 0)
    (question,) = only(Ask, match.decided(seat, question.decision, BLIND, 0))
    match.nonsense(seat, question.decision, "that is a poem", 0)
    effects = match.decided(seat, question.decision, OFFER, 0)
    assert kinds(effects) == ["Tell", "Tell", "Finished"]
    reason = "cannot draw contracts: a second card must be drawn, no wild from the row"
    assert match.log[-2:] == [Fault(seat, "illegal", reason), End("forfeit")]
    assert match.faults == [FaultRecord(seat, "illegal", "bot", reason, len(match.log) - 2)]


def test_one_strike_can_be_all_there_is() -> None:
    match, question = playing(control=TimeControl(strikes=1))
    match.nonsense(question.seat, question.decision, "no\ud800n" + "s" * 999, 0)
    (record,) = match.faults
    assert record.detail == "no\ufffdn" + "s" * (DETAIL_LIMIT - 4)


def test_nonsense_is_reported_to_the_bot_by_its_host() -> None:
    match, question = playing()
    (refusal,) = match.nonsense(question.seat, question.decision, "that is a poem", 0)
    assert isinstance(refusal, Rejected)
    assert refusal.reason == "that is a poem"
    assert match.nonsense(question.seat, 999, "so is this", 0) == [
        Stale(question.seat, 999, "unknown")
    ]


# ---- answers to something else ------------------------------------------------------------------


def test_answers_to_anything_but_the_open_question_are_harmless() -> None:
    match, question = playing()
    seat, other = question.seat, 1 - question.seat
    before, deadline = list(match.log), match.next_deadline()
    cases: list[tuple[int, int, Why]] = [
        (seat, 1, "answered"),
        (other, 2, "answered"),
        (other, question.decision, "foreign"),
        (seat, 2, "foreign"),
        (seat, question.decision + 1, "unknown"),
        (seat, 0, "unknown"),
        (seat, -1, "unknown"),
        (seat, 10**5000, "unknown"),
        (99, question.decision, "foreign"),
        (-1, question.decision, "foreign"),
    ]
    for who, decision, why in cases:
        for action in (KEEP_FIRST, BLIND, None):
            assert match.decided(who, decision, action, 0) == [Stale(who, decision, why)]
    assert match.log == before
    assert match.next_deadline() == deadline
    assert len(only(Ask, match.decided(seat, question.decision, BLIND, 0))) == 1


def test_an_accepted_answer_repeated_later_is_stale_even_after_the_end() -> None:
    match, question = playing()
    play_out(match, question)
    assert match.decided(question.seat, question.decision, question.legal[-1], 0) == [
        Stale(question.seat, question.decision, "answered")
    ]


def test_an_answer_before_the_match_is_stale() -> None:
    assert dealt().decided(0, 1, KEEP_FIRST, 0) == [Stale(0, 1, "unknown")]


# ---- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("control", "limit", "detail"),
    [
        (CONTROL, 10 * S, "no answer within 10000 ms"),
        (TimeControl(bank_ms=3_000, increment_ms=0), 3 * S, "the bank was used up"),
        (TimeControl(decision_ms=None, increment_ms=0), 60 * S, "the bank was used up"),
    ],
)
def test_a_seat_whose_time_is_up_leaves(control: TimeControl, limit: int, detail: str) -> None:
    match, question = playing(control=control)
    assert match.next_deadline() == limit
    assert match.tick(limit - 1) == []
    effects = match.tick(limit)
    assert kinds(effects) == ["Tell", "Tell", "Finished"]
    assert match.log[-2] == Fault(question.seat, "timeout", detail)
    assert match.faults == [
        FaultRecord(question.seat, "timeout", "bot", detail, len(match.log) - 2)
    ]


@pytest.mark.parametrize(("now", "in_time"), [(10 * S - 1, True), (10 * S, False)])
def test_an_answer_counts_if_it_comes_before_the_deadline(now: int, in_time: bool) -> None:
    match, question = playing()
    effects = match.decided(question.seat, question.decision, BLIND, now)
    if in_time:
        assert kinds(effects) == ["Tell", "Tell", "Ask"]
    else:
        assert kinds(effects) == ["Stale", "Tell", "Tell", "Finished"]
        assert effects[0] == Stale(question.seat, question.decision, "late")


def test_after_a_timeout_the_next_seat_is_asked() -> None:
    match, question = playing(3)
    effects = match.tick(10 * S)
    (ask,) = only(Ask, effects)
    assert ask.seat == (question.seat + 1) % 3
    assert ask.time_left == TimeLeft(10 * S, 61 * S)
    assert match.next_deadline() == 20 * S


def test_any_input_lets_passed_deadlines_take_effect() -> None:
    match, question = playing(3)
    (stale, *rest) = match.decided((question.seat + 1) % 3, 999, BLIND, 11 * S)
    assert isinstance(stale, Stale)
    assert kinds(rest) == ["Tell", "Tell", "Tell", "Ask"]


def test_time_does_not_run_backwards() -> None:
    match, question = playing()
    match.tick(9 * S)
    match.decided(question.seat, question.decision, BLIND, 3 * S)
    event = match.log[-1]
    assert isinstance(event, Decision)
    assert event.ms == 9000


def test_anyone_may_look_at_a_clock() -> None:
    match, question = playing()
    assert match.time_left(question.seat, 4 * S) == TimeLeft(6 * S, 57 * S)
    assert match.time_left(1 - question.seat, 4 * S) == TimeLeft(10 * S, 61 * S)


# ---- failures -----------------------------------------------------------------------------------


def test_a_seat_that_fails_out_of_turn_leaves_when_its_turn_comes() -> None:
    match, question = playing(3)
    other = (question.seat + 1) % 3
    assert match.failed(other, "memory", "too much", "bot", 1 * S) == []
    assert match.faults == [FaultRecord(other, "memory", "bot", "too much")]
    (question,) = only(Ask, match.decided(question.seat, question.decision, BLIND, 2 * S))
    effects = match.decided(question.seat, question.decision, BLIND, 3 * S)
    assert [ask.seat for ask in only(Ask, effects)] == [(other + 1) % 3]
    (record,) = match.faults
    assert record.event is not None
    assert match.log[record.event] == Fault(other, "memory", "too much")


def test_a_seat_fails_once() -> None:
    match, question = playing(3)
    match.failed(question.seat, "crash", "first", "bot", 0)
    assert match.failed(question.seat, "timeout", "second", "bot", 0) == []
    assert [record.detail for record in match.faults] == ["first"]
    assert match.decided(question.seat, question.decision, BLIND, 0) == [
        Stale(question.seat, question.decision, "late")
    ]


def test_others_do_not_see_why_a_seat_failed() -> None:
    match, question = playing(3)
    effects = match.failed(question.seat, "crash", "KeyError: 'plan'", "bot", 0)
    for tell in only(Tell, effects):
        (fault,) = [event for event in tell.events if isinstance(event, Fault)]
        assert fault.detail == ("KeyError: 'plan'" if tell.seat == question.seat else "")


@pytest.mark.parametrize("owner", ["bot", "network"])
def test_failures_of_bots_and_networks_cost_the_seat(owner: str) -> None:
    match, question = playing()
    effects = match.failed(question.seat, "disconnect", "", owner, 0)  # type: ignore[arg-type]
    (finished,) = only(Finished, effects)
    assert finished.result.seats[question.seat].fault == "disconnect"
    assert finished.result.winners == (1 - question.seat,)


def test_failures_of_the_host_cost_no_seat() -> None:
    match, question = playing()
    effects = match.failed(question.seat, "crash", "the sandbox broke", "host", 0)
    assert effects == [Voided("host", "the sandbox broke")]
    assert match.faults == [FaultRecord(question.seat, "crash", "host", "the sandbox broke")]
    assert match.result is None
    assert not any(isinstance(event, Fault) for event in match.log)


def test_details_are_bounded_and_can_be_written() -> None:
    match, question = playing()
    match.failed(question.seat, "crash", "\udc80" + "trace" * 1000, "bot", 0)
    event = match.log[-2]
    assert isinstance(event, Fault)
    assert event.detail == ("\ufffd" + "trace" * 1000)[:DETAIL_LIMIT]


# ---- the connection -----------------------------------------------------------------------------


def test_a_seat_that_comes_back_is_asked_the_same_with_what_time_is_left() -> None:
    match, question = playing()
    assert match.disconnected(question.seat, 4 * S) == []
    assert match.next_deadline() == 34 * S
    assert match.tick(33 * S) == []
    (again,) = match.reconnected(question.seat, 33 * S)
    assert again == Ask(
        question.seat,
        question.decision,
        question.observation,
        question.legal,
        TimeLeft(6 * S, 28 * S),
    )
    assert match.next_deadline() == 39 * S


def test_a_seat_that_stays_away_leaves_by_the_fault_of_the_network() -> None:
    match, question = playing()
    match.disconnected(question.seat, 4 * S)
    match.tick(34 * S)
    (record,) = match.faults
    assert (record.reason, record.owner) == ("disconnect", "network")
    assert match.log[-2] == Fault(question.seat, "disconnect", "did not come back in time")


def test_absence_does_not_extend_the_bank() -> None:
    control = TimeControl(decision_ms=10_000, bank_ms=20_000, increment_ms=0, grace_ms=30_000)
    match, question = playing(control=control)
    match.disconnected(question.seat, 4 * S)
    assert match.next_deadline() == 20 * S
    match.tick(20 * S)
    assert [record.owner for record in match.faults] == ["network"]


def test_disconnected_seat_is_not_asked_until_it_returns() -> None:
    match = dealt()
    match.disconnected(0, 0)
    assert [ask.seat for ask in only(Ask, match.begin(1 * S))] == [1]
    (ask,) = only(Ask, match.reconnected(0, 3 * S))
    assert (ask.seat, ask.decision) == (0, 2)
    assert ask.time_left == TimeLeft(10 * S, 58 * S)


def test_absence_without_an_owed_decision_is_free() -> None:
    match, question = playing()
    other = 1 - question.seat
    assert match.disconnected(other, 0) == []
    assert match.reconnected(other, 9 * S) == []
    (question,) = only(Ask, match.decided(question.seat, question.decision, BLIND, 9 * S))
    match.decided(question.seat, question.decision, BLIND, 9 * S)
    match.disconnected(other, 10 * S)
    assert match.next_deadline() == 40 * S


def test_without_grace_a_disconnected_seat_is_out() -> None:
    match, question = playing(3, TimeControl(grace_ms=0))
    other = (question.seat + 1) % 3
    assert match.disconnected(other, 0) == []
    (question,) = only(Ask, match.decided(question.seat, question.decision, BLIND, 0))
    effects = match.decided(question.seat, question.decision, BLIND, 0)
    assert [record.seat for record in match.faults] == [other]
    assert [ask.seat for ask in only(Ask, effects)] == [(other + 1) % 3]


def test_without_grace_a_lost_connection_is_a_fault_at_once() -> None:
    match, question = playing(control=TimeControl(grace_ms=0))
    effects = match.disconnected(question.seat, 3 * S)
    assert kinds(effects) == ["Tell", "Tell", "Finished"]
    assert [(record.reason, record.owner) for record in match.faults] == [("disconnect", "network")]


def test_a_new_connection_for_an_old_one_is_asked_again() -> None:
    match, question = playing()
    (again,) = match.reconnected(question.seat, 2 * S)
    assert isinstance(again, Ask)
    assert again.decision == question.decision
    assert again.time_left == TimeLeft(8 * S, 59 * S)


def test_an_answer_in_transit_during_a_disconnection_counts() -> None:
    match, question = playing()
    match.disconnected(question.seat, 1 * S)
    effects = match.decided(question.seat, question.decision, BLIND, 1 * S)
    assert kinds(effects) == ["Tell", "Tell"]
    assert kinds(match.reconnected(question.seat, 2 * S)) == ["Ask"]


def test_a_seat_that_comes_back_can_have_its_whole_history() -> None:
    match, question = playing()
    match.decided(question.seat, question.decision, BLIND, 0, "mine")
    for seat in range(2):
        assert match.history(seat) == tuple(seen_by(event, seat) for event in match.log)
    last = match.history(1 - question.seat)[-1]
    assert isinstance(last, Decision)
    assert last.note is None


# ---- the end ------------------------------------------------------------------------------------


def test_a_void_match_has_no_result() -> None:
    match, question = playing()
    assert match.void("host", "the worker\udfff shuts down", 1 * S) == [
        Voided("host", "the worker\ufffd shuts down")
    ]
    assert match.is_over
    assert match.result is None
    assert match.next_deadline() is None
    assert match.decided(question.seat, question.decision, BLIND, 1 * S) == [
        Stale(question.seat, question.decision, "over")
    ]


def test_a_match_that_was_called_off_does_not_begin() -> None:
    match = dealt()
    match.void("host", "no sandbox", 0)
    with pytest.raises(MatchError, match="void"):
        match.begin(0)


@pytest.mark.parametrize("ending", ["result", "void"])
def test_after_the_end_nothing_happens_any_more(ending: str) -> None:
    match, question = playing()
    if ending == "result":
        play_out(match, question)
    else:
        match.void("host", "", 0)
    log, result, faults = list(match.log), match.result, list(match.faults)
    for seat in range(2):
        assert match.disconnected(seat, 1 * S) == []
        assert match.tick(999 * S) == []
        assert match.reconnected(seat, 999 * S) == []
        assert match.failed(seat, "crash", "", "bot", 999 * S) == []
        assert match.failed(seat, "crash", "", "host", 999 * S) == []
        assert match.void("host", "", 999 * S) == []
    assert (match.log, match.result, match.faults) == (log, result, faults)


def test_errors_of_the_host_raise() -> None:
    match = begun()
    with pytest.raises(MatchError, match="no seat 2"):
        match.disconnected(2, 0)
    with pytest.raises(MatchError, match="no seat -1"):
        match.history(-1)
    with pytest.raises(MatchError, match="not a reason"):
        match.failed(0, "boredom", "", "bot", 0)
    with pytest.raises(MatchError, match="owns no faults"):
        match.failed(0, "crash", "", "weather", 0)  # type: ignore[arg-type]
    with pytest.raises(MatchError, match="owns no faults"):
        match.void("weather", "", 0)  # type: ignore[arg-type]


# ---- blocks -------------------------------------------------------------------------------------


def test_in_a_block_every_bot_sits_once_in_every_seat() -> None:
    assert rotations(2) == [(0, 1), (1, 0)]
    assert rotations(3) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    for seats in (2, 3, 4):
        for bot in range(seats):
            assert sorted(game.index(bot) for game in rotations(seats)) == list(range(seats))
