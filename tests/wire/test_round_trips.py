"""What is encoded and decoded again is what it was, over games played at random."""

from __future__ import annotations

from hypothesis import given, settings

from damrak_engine.effects import Ask
from damrak_engine.events import Event, seen_by
from damrak_engine.match import TimeLeft
from damrak_engine.observation import observe
from damrak_engine.scoring import result
from damrak_wire import table
from damrak_wire.events import decode_event, encode_event
from damrak_wire.results import decode_result, encode_result
from damrak_wire.state import decode_state, encode_state
from strategies import Plan, plans, walk

TIME = TimeLeft(1_000_000, 2_000_000)


@settings(max_examples=25)
@given(plans())
def test_every_seat_gets_what_it_may_see_at_every_decision(plan: Plan) -> None:
    rules = plan.rules
    log: list[Event] = []
    told = 0
    for number, (state, _, _) in enumerate(walk(plan, log=log), 1):
        news = log[told:]
        for seat in range(plan.seats):
            ask = Ask(seat, number, observe(state, seat), state.legal_actions(), TIME)
            seen = tuple([seen_by(event, seat) for event in news])
            data = table.question(ask, told, [table.event_bytes(event) for event in seen])
            asked = table.parse_response(data, rules)
            assert asked == table.Asked(
                number, ask.legal, TIME, ask.observation, told if seen else 0, seen
            )
        told = len(log)


@settings(max_examples=25)
@given(plans())
def test_whole_and_seen_events_and_results_survive(plan: Plan) -> None:
    log: list[Event] = []
    *_, (state, dice, _) = walk(plan, log=log)
    for event in log:
        for seat in range(-1, plan.seats):
            seen = seen_by(event, seat) if seat >= 0 else event
            again = decode_event(encode_event(seen), plan.rules)
            assert again == seen
            assert getattr(again, "ms", None) == getattr(seen, "ms", None)
            assert getattr(again, "note", None) == getattr(seen, "note", None)
    end = result(state, dice)
    assert decode_result(encode_result(end), plan.rules) == end
    last = observe(state, 0)
    assert decode_state(plan.rules, encode_state(last)) == last
