"""Messages survive a round trip, for games played at random and for drawn values."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import given, strategies as st

from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.effects import OWNERS, Ask, Owner, Rejected, Stale, Voided, Why
from damrak_engine.events import NOTE_LIMIT, Decision, Event, Fault, seen_by
from damrak_engine.observation import observe
from damrak_engine.replay import Player
from damrak_engine.rules import Rules
from damrak_engine.scoring import result
from damrak_wire import table, watch
from damrak_wire.boards import board_bytes, rules_of
from damrak_wire.clocks import (
    decode_control,
    decode_time_left,
    encode_control,
    encode_time_left,
    time_left_bytes,
)
from damrak_wire.events import decode_event, encode_event
from damrak_wire.results import decode_result, encode_result
from damrak_wire.state import decode_state, encode_state
from samples import examples
from strategies import Plan, plans, walk
from wire_strategies import (
    HEX,
    IDS,
    LINES,
    REASONS,
    U32,
    U64,
    controls,
    events,
    faults,
    results,
    tables,
    times,
)

TIME = TimeLeft(1_000_000, 2_000_000)


# ---- games -------------------------------------------------------------------------------------


@examples(40)
@given(plans())
def test_every_seat_receives_its_view_at_every_decision(plan: Plan) -> None:
    log: list[Event] = []
    told = 0
    for number, (state, _, _) in enumerate(walk(plan, log=log), 1):
        for seat in range(plan.seats):
            ask = Ask(seat, number, observe(state, seat), state.legal_actions(), TIME)
            seen = tuple([seen_by(event, seat) for event in log[told:]])
            data = table.question(ask, told, [table.event_bytes(event) for event in seen])
            assert table.parse_response(data, plan.rules) == table.Asked(
                number, ask.legal, TIME, ask.observation, told if seen else 0, seen
            )
        told = len(log)


@examples(40)
@given(plans())
def test_a_returning_seat_receives_the_whole_game(plan: Plan) -> None:
    log: list[Event] = []
    *_, (state, dice, _) = walk(plan, log=log)
    rules = rules_of(board_bytes(plan.rules.board), plan.seats, plan.rules.options.to_json())
    for seat in range(plan.seats):
        history = tuple([seen_by(event, seat) for event in log])
        seen = observe(state, seat)
        seen.rules = rules
        told = table.Welcome(
            match="a-match",
            seat=seat,
            rules=rules,
            control=TimeControl(),
            chance=bytes(32),
            commitment="0" * 64,
            rejoin_ticket="a-ticket",
            history=[table.event_bytes(event) for event in history],
            observation=seen,
        )
        heard = table.parse_response(table.welcome(told), None)
        assert heard == table.Welcomed(
            version=1,
            match="a-match",
            seat=seat,
            seats=plan.seats,
            rules=rules,
            control=TimeControl(),
            chance=bytes(32),
            commitment="0" * 64,
            rejoin_ticket="a-ticket",
            first=0,
            history=history,
            observation=seen,
        )
    end = result(state, dice)
    data = table.ending_result(0, [table.event_bytes(event) for event in log], end)
    assert table.parse_response(data, rules) == table.Ended(0, tuple(log), end)


@examples(20)
@given(plans())
def test_the_last_position_survives(plan: Plan) -> None:
    *_, (state, _, _) = walk(plan)
    for seat in range(plan.seats):
        seen = observe(state, seat)
        assert decode_state(plan.rules, encode_state(seen)) == seen


# ---- values ------------------------------------------------------------------------------------


@given(st.data())
def test_events_survive_with_their_time_and_note(data: Any) -> None:
    rules = data.draw(tables())
    event = data.draw(events(rules))
    again = decode_event(encode_event(event), rules)
    assert again == event
    if isinstance(event, Decision):
        assert isinstance(again, Decision)
        assert (again.ms, again.note) == (event.ms, event.note)


@given(st.data())
def test_news_keeps_its_order_and_number(data: Any) -> None:
    rules = data.draw(tables())
    happened = data.draw(st.lists(events(rules), max_size=6))
    first = data.draw(U32)
    said = [table.event_bytes(event) for event in happened]
    heard = table.News(first, tuple(happened))
    assert table.parse_response(table.news(first, said), rules) == heard
    seen = watch.parse_seen(watch.happened(first, said), rules)
    assert seen == watch.Happened(first, tuple(happened))


@given(st.data())
def test_results_survive(data: Any) -> None:
    rules = data.draw(tables())
    end = data.draw(results(rules))
    assert decode_result(encode_result(end), rules) == end


@given(controls)
def test_controls_survive(control: TimeControl) -> None:
    assert decode_control(encode_control(control)) == control


@given(times)
def test_times_survive_both_ways_of_writing_them(left: TimeLeft) -> None:
    message = encode_time_left(left)
    assert decode_time_left(message) == left
    assert type(message).FromString(time_left_bytes(left)) == message


# ---- messages of a client ------------------------------------------------------------------------


@given(LINES, LINES, st.booleans())
def test_join_survives(software: str, ticket: str, prompt: bool) -> None:
    heard = table.parse_request(table.join(software, ticket, prompt))
    assert heard == table.Join(1, 1, software, ticket, prompt)


@given(LINES)
def test_ready_survives(name: str) -> None:
    assert table.parse_request(table.ready(name)) == table.Ready(name)


@given(U64, U32, st.none() | st.text(min_size=1, max_size=NOTE_LIMIT), U64)
def test_decisions_survive(decision: int, action: int, note: str | None, think_us: int) -> None:
    heard = table.parse_request(table.decided(decision, action, note, think_us))
    assert heard == table.Decided(decision, action, note, think_us)


@given(U64, LINES)
def test_nonsense_survives(decision: int, what: str) -> None:
    heard = table.parse_request(table.nonsense(decision, what))
    assert heard == table.Nonsense(decision, what)


@given(st.sampled_from(["crash", "memory", "protocol"]), LINES, LINES)
def test_failures_survive(reason: str, detail: str, traceback: str) -> None:
    heard = table.parse_request(table.failed(reason, detail, traceback))
    assert heard == table.Failed(reason, detail, traceback)


# ---- messages of the referee ---------------------------------------------------------------------


@given(U64, LINES, times, U32)
def test_rejections_survive(decision: int, reason: str, left: TimeLeft, strikes: int) -> None:
    data = table.rejection(Rejected(0, decision, reason, left, strikes))
    assert table.parse_response(data, None) == table.Refused(decision, reason, left, strikes)


@given(U64, st.sampled_from(get_args(Why)))
def test_stale_answers_survive(decision: int, why: Why) -> None:
    data = table.stale(Stale(0, decision, why))
    assert table.parse_response(data, None) == table.StaleAnswer(decision, why)


@given(LINES)
def test_complaints_survive(what: str) -> None:
    assert table.parse_response(table.complaint(what), None) == table.Complained(what)


@given(tables(), st.sampled_from(OWNERS), LINES)
def test_void_endings_survive(rules: Rules, owner: Owner, detail: str) -> None:
    data = table.ending_void(0, [], owner, detail)
    assert table.parse_response(data, rules) == table.Ended(0, (), Voided(owner, detail))
    assert watch.parse_seen(watch.void(owner, detail), rules) == Voided(owner, detail)


@given(tables(), st.integers(0, 1), REASONS, LINES)
def test_endings_by_a_fault_survive(rules: Rules, seat: int, reason: str, detail: str) -> None:
    data = table.ending_fault(0, [], seat, reason, detail)
    assert table.parse_response(data, rules) == table.Ended(0, (), Fault(seat, reason, detail))


# ---- messages to watchers ------------------------------------------------------------------------


@given(tables(), controls, IDS, IDS, st.integers(1, 9), st.booleans(), HEX, U32, LINES)
def test_settings_survive(
    rules: Rules,
    control: TimeControl,
    match: str,
    block: str,
    attempt: int,
    over: bool,
    commitment: str,
    delay_ms: int,
    bot: str,
) -> None:
    played = rules_of(board_bytes(rules.board), rules.seats, rules.options.to_json())
    players = tuple([Player(f"{bot}{seat}", "1", "anna") for seat in range(rules.seats)])
    told = watch.MatchSetting(
        watch.WatchedMatch(match, block, attempt, players, over),
        played,
        control,
        commitment,
        delay_ms,
    )
    assert watch.parse_seen(watch.setting(told), None) == told
    assert watch.decode_matches(watch.encode_matches([told.match])) == (told.match,)


@given(st.data())
def test_clocks_and_ends_survive(data: Any) -> None:
    rules = data.draw(tables())
    running = tuple(data.draw(st.lists(st.integers(0, rules.seats - 1), max_size=4)))
    banks = data.draw(st.tuples(*[U32] * rules.seats))
    assert watch.parse_seen(watch.clocks(running, banks), rules) == watch.Clocks(running, banks)
    failed = data.draw(st.tuples(*[st.none() | faults] * rules.seats))
    heard = watch.parse_seen(watch.ending(b"{}", failed), rules)
    assert isinstance(heard, watch.WatchEnding)
    shown = [None if f is None else (f.reason, f.owner, f.detail, "") for f in failed]
    assert shown == [
        None if f is None else (f.reason, f.owner, f.detail, f.traceback) for f in heard.faults
    ]
