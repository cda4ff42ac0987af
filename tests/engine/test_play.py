"""Invariants of every game, as properties over random play."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random

import pytest
from hypothesis import event, given, strategies as st

from damrak_engine.dice import QuickDice, SeedDice
from damrak_engine.errors import IllegalAction, MatchError, ReplayError
from damrak_engine.events import (
    Blind,
    Deal,
    Decision,
    End,
    Event,
    Fault,
    Refill,
    Reshuffle,
    event_from_json,
    event_to_json,
)
from damrak_engine.position import OVER
from damrak_engine.scoring import result, totals
from damrak_engine.state import rollout
from oracle import check_conserved, check_knowledge, check_result, fields_of, legal
from samples import examples
from strategies import Plan, Step, do, plans, seed_of, walk

GAMES = examples(200)


@GAMES
@given(plans())
def test_nothing_is_lost_or_created(plan: Plan) -> None:
    state = None
    for state, _, _ in walk(plan):
        check_conserved(state)
        check_knowledge(state)
    assert state is not None
    event(state.end_reason)
    check_conserved(state)
    check_knowledge(state)


@GAMES
@given(plans())
def test_legal_actions_are_what_the_rules_say(plan: Plan) -> None:
    for state, _, _ in walk(plan):
        typed = state.rules.space.typed
        actions = state.legal_actions()
        assert actions == sorted(set(actions))
        assert {typed(action) for action in actions} == legal(state)
        assert state.legal_mask() == sum(1 << action for action in actions)
        assert state.legal_for(state.actor) == actions


@examples(100)
@given(plans(), st.data())
def test_legal_means_applies(plan: Plan, data: st.DataObject) -> None:
    stop = data.draw(st.integers(0, 120))
    for number, (state, _, _) in enumerate(walk(plan)):
        if number < stop:
            continue
        actions = set(state.legal_actions())
        dice = SeedDice(seed_of(stop))
        before = fields_of(state)
        for action in [-1, *range(len(state.rules.space) + 1), 10**9]:
            if action in actions:
                state.copy().apply(action, dice)
            else:
                with pytest.raises(IllegalAction):
                    state.apply(action, dice)
        assert fields_of(state) == before
        break


@GAMES
@given(plans())
def test_only_seats_that_owe_a_decision_can_leave(plan: Plan) -> None:
    for state, dice, _ in walk(plan):
        owing = state.owing()
        assert owing[0] == state.actor
        before = fields_of(state)
        for seat in range(state.rules.seats):
            if seat not in owing:
                assert state.legal_for(seat) == []
                with pytest.raises(MatchError):
                    state.leave(seat, "crash", "", dice)
        assert fields_of(state) == before


@GAMES
@given(plans(), st.integers(0, 100))
def test_copies_are_independent(plan: Plan, at: int) -> None:
    for number, (state, _, _) in enumerate(walk(plan)):
        if number < at:
            continue
        before = fields_of(state)
        copy = state.copy()
        unlogged = before | {"log": None}
        assert fields_of(copy) == unlogged
        rollout(copy, Random(at).random)
        assert fields_of(state) == before
        copy = state.copy()
        rollout(state, Random(at).random)
        assert fields_of(copy) == unlogged
        break


@examples(300)
@given(plans(faults=False, defaults=True))
def test_games_end_within_the_bound(plan: Plan) -> None:
    board = plan.rules.board
    carts, n = board.carts, plan.seats
    cards = board.deck_size - 2 * n + carts * n  # every card drawn again was paid for with a cart
    bound = cards + carts * n + len(board.contracts) - n
    if plan.board == "amsterdam":
        assert bound == 68 + 29 * n
    actions = passes = 0
    for state, _, (_, _, action) in walk(plan):
        if state.phase == 0:
            continue
        passes = passes + 1 if action == 10 else 0
        actions += action != 10 and not 7 <= action <= 9
        assert passes <= n
    assert actions <= bound
    assert state.turns <= n * (bound + 1)


@GAMES
@given(plans())
def test_the_end_is_final_and_scored(plan: Plan) -> None:
    *_, (state, _, _) = walk(plan)
    assert (state.phase, state.actor, state.is_over) == (OVER, -1, True)
    assert (state.legal_actions(), state.legal_mask(), state.owing()) == ([], 0, [])
    dice = SeedDice(seed_of(plan.number))
    before = fields_of(state)
    with pytest.raises(IllegalAction, match="is over"):
        state.apply(0, dice)
    ended = result(state, dice)
    assert fields_of(state) == before
    assert ended.reason == state.end_reason
    assert [row.total for row in ended.seats] == totals(state)
    check_result(state, ended)


@GAMES
@given(plans(), st.integers(0, 60))
def test_rollout_plays_random_legal_actions_to_the_end(plan: Plan, at: int) -> None:
    for number, (state, _, _) in enumerate(walk(plan)):
        if number == at:
            by_engine, by_hand = state.copy(), state.copy()
            played = rollout(by_engine, Random(at).random)
            random, steps = Random(at).random, 0
            while not by_hand.is_over:
                by_hand.apply(by_hand.random_action(random), QuickDice(random))
                steps += 1
            assert (fields_of(by_engine), played) == (fields_of(by_hand), steps)


@GAMES
@given(plans())
def test_random_actions_are_all_legal_ones_alike(plan: Plan) -> None:
    for state, _, _ in walk(plan):
        actions = state.legal_actions()
        parts = [(i + 0.5) / len(actions) for i in range(len(actions))]
        assert sorted(state.random_action(lambda part=part: part) for part in parts) == actions


def recorded(plan: Plan) -> tuple[list[Step], list[Event], dict[str, object]]:
    """Return the steps of a game, its log, and its final position."""
    log: list[Event] = []
    steps = []
    for state, _, step in walk(plan, log=log):  # noqa: B007
        steps.append(step)
    return steps, log, fields_of(state)


@GAMES
@given(plans())
def test_the_same_decisions_and_seed_give_the_same_log(plan: Plan) -> None:
    steps, log, last = recorded(plan)
    dice = SeedDice(seed_of(plan.number))
    again: list[Event] = []
    state = plan.deal(dice, again)
    for step in steps:
        do(state, step, dice)
    assert again == log
    assert fields_of(state) == last
    dice = SeedDice(seed_of(plan.number))
    unlogged = plan.deal(dice)
    for step in steps:
        do(unlogged, step, dice)
    assert fields_of(unlogged) == last | {"log": None}, "a log changes nothing"


@GAMES
@given(plans())
def test_events_survive_json(plan: Plan) -> None:
    for happened in recorded(plan)[1]:
        data = json.loads(json.dumps(event_to_json(happened)))
        assert event_from_json(data) == happened
        assert event_to_json(event_from_json(data)) == data
        for wrong in ({**data, "more": 1}, dict(list(data.items())[:-1])):
            with pytest.raises(ReplayError):
                event_from_json(wrong)


@GAMES
@given(plans())
def test_each_step_is_one_decision_or_fault_of_its_seat(plan: Plan) -> None:
    log: list[Event] = []
    steps = []
    for _, _, (what, seat, _) in walk(plan, log=log):
        steps.append((what == "leave", seat))
    chosen = [e for e in log if isinstance(e, Decision | Fault)]
    assert [(isinstance(e, Fault), e.seat) for e in chosen] == steps
    assert [e.kind for e in log if isinstance(e, Deal | End)] == ["deal", "end"]
    assert (log[0].kind, log[-1].kind) == ("deal", "end")
    for before, after in pairwise(log):
        if isinstance(before, Reshuffle) and plan.options.get("reshuffle") != "eager":
            assert isinstance(after, Blind | Refill)
