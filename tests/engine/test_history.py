"""The history of a seat contains no hidden information, and everything that the seat saw."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from random import Random

import hypothesis
from hypothesis import assume, given, strategies as st

from damrak_engine.cards import WILD, counts
from damrak_engine.deal import new_game
from damrak_engine.dice import CallDice, SeedDice
from damrak_engine.events import (
    Blind,
    Deal,
    Decision,
    Event,
    Fault,
    Keep,
    Offer,
    Pass,
    Refill,
    Reshuffle,
    event_to_json,
    seen_by,
)
from damrak_engine.observation import observe
from damrak_engine.state import State
from positions import Fate
from samples import examples
from strategies import Plan, Step, do, next_step, plans, seed_of, walk


def history(plan: Plan) -> list[Event]:
    log: list[Event] = []
    for _ in walk(plan, log=log):
        pass
    return [
        replace(event, ms=17, note="a plan") if isinstance(event, Decision) else event
        for event in log
    ]


@examples(100)
@given(plans())
def test_other_seats_secrets_are_blank(plan: Plan) -> None:
    for event in history(plan):
        for seat in range(plan.seats):
            shown = seen_by(event, seat)
            assert type(shown) is type(event)
            assert seen_by(shown, seat) == shown
            match shown:
                case Deal(hands=hands, contracts=contracts):
                    others = [s for s in range(plan.seats) if s != seat]
                    secrets = [*(hands[s] for s in others), *(contracts[s] for s in others)]
                    assert set(chain(*secrets)) == {None}
                    assert all(len(secret) == 2 for secret in secrets)
                case Blind(seat=owner, card=card) if owner != seat:
                    assert card is None
                case Keep(seat=owner, contracts=ids) | Offer(seat=owner, contracts=ids):
                    assert owner == seat or set(ids) == {None}
                case Fault(seat=owner, detail=detail) if owner != seat:
                    assert detail == ""
            if isinstance(shown, Decision) and shown.seat != seat:
                assert (shown.ms, shown.note) == (None, None)


@examples(100)
@given(plans())
def test_no_hidden_card_or_contract_is_found_in_the_text(plan: Plan) -> None:
    log = history(plan)
    for seat in range(plan.seats):
        for event in log:
            text = event_to_json(seen_by(event, seat))
            if isinstance(event, Decision | Fault) and event.seat != seat:
                assert "a plan" not in json.dumps(text)
                assert "as planned" not in json.dumps(text)
            if isinstance(event, Keep | Offer) and event.seat != seat:
                numbers = [n for n in text["contracts"] if n is not None]
                assert numbers == []
            if isinstance(event, Blind) and event.seat != seat:
                assert not any(card in json.dumps(text) for card in ("red", "wild", "pink"))


@examples(100)
@given(plans())
def test_everything_else_is_reported(plan: Plan) -> None:
    hidden = ("card", "contracts", "hands", "detail", "ms", "note")
    for event in history(plan):
        whole = event_to_json(event)
        for seat in range(plan.seats):
            shown = event_to_json(seen_by(event, seat))
            if isinstance(event, Decision | Fault) and event.seat == seat:
                assert shown == whole
                continue
            for name, value in whole.items():
                if name not in hidden or (name == "card" and not isinstance(event, Blind)):
                    assert shown[name] == value
            if isinstance(event, Deal):
                assert shown["hands"][seat] == whole["hands"][seat]
                assert shown["contracts"][seat] == whole["contracts"][seat]
            if isinstance(event, Keep | Offer):
                assert len(shown["contracts"]) == len(whole["contracts"])


# ---- two games that one seat cannot distinguish --------------------------------------------------


def played(plan: Plan) -> tuple[State, list[Event], list[Step], list[int]]:
    """Play a random game; also return the random choices that were neither cards nor contracts."""
    random, seeded = Random(plan.number), SeedDice(seed_of(plan.number))
    others: list[int] = []

    def pick(stream: int, n: int) -> int:
        index = seeded.pick(stream, n)
        if stream in (0, 14):
            others.append(index)
        return index

    log: list[Event] = []
    dice = CallDice(pick)
    state = plan.deal(dice, log)
    steps = []
    while not state.is_over:
        step = next_step(state, random.random, 0)
        steps.append(step)
        do(state, step, dice)
    return state, log, steps, others


def unseen_swap(state: State, log: list[Event], seat: int) -> tuple[int, int] | None:
    """Return a blind card of another seat that was never shown, and a possible other kind of it.

    The card is still in that hand at the end, the other kind still in the pile, and neither is
    wild.
    """
    left = [kind for kind in range(WILD) if state.pile[kind]]
    kept: set[tuple[int, int]] = set()
    for number in range(len(log) - 1, -1, -1):
        event = log[number]
        if isinstance(event, Reshuffle):
            return None
        if isinstance(event, Decision) and event.seat != seat and not isinstance(event, Blind):
            if event.kind in ("claim", "pass"):
                kept.add((event.seat, -1))
        elif isinstance(event, Blind) and event.seat != seat and event.card != WILD:
            assert event.card is not None
            alike = [kind for kind in left if kind != event.card]
            if (event.seat, -1) not in kept and alike and event.card != WILD:
                assert counts(state.hands[event.seat])[event.card]
                return number, alike[0]
    return None


@examples(200)
@given(plans(faults=False), st.integers(0, 3), st.integers(0, 2**32))
def test_games_that_look_the_same_to_a_seat_are_the_same_to_it(
    plan: Plan, seat: int, number: int
) -> None:
    assume(seat < plan.seats)
    state, log, steps, others = played(plan)
    log_as_drawn = list(log)
    swap = unseen_swap(state, log, seat)
    hypothesis.event("a card is swapped" if swap else "contracts only")
    if swap is not None:
        where, kind = swap
        log_as_drawn[where] = replace(log[where], card=kind)  # type: ignore[call-arg]
    new = renamed_contracts(plan, log, seat, Random(number))

    fate = Fate()
    fate.cards, fate.contracts, fate.others = [], [], list(others)
    seen: set[int] = set()
    for event in log_as_drawn:
        match event:
            case Deal(hands=hands, row=row, contracts=contracts):
                fate.cards += [int(h[i]) for i in range(2) for h in hands if h[i] is not None]
                fate.cards += [int(card) for card in row if card is not None]
                fate.contracts += [new[c[i]] for i in range(2) for c in contracts]  # type: ignore[index]
                seen |= {i for pair in contracts for i in pair if i is not None}
            case Blind(card=card) | Refill(card=card):
                assert card is not None
                fate.cards.append(int(card))
            case Offer(contracts=ids):
                fate.contracts += [new[i] for i in ids if i is not None and i not in seen]
                seen |= {i for i in ids if i is not None}

    again: list[Event] = []
    other = new_game(
        plan.rules,
        fate.before(plan.rules),
        again,
        plan.number % plan.seats if plan.rules.options.first_player == "rotate" else None,
    )
    dice = fate.watch(other)
    for step, (true, _, same) in zip(steps, walk(plan), strict=True):
        assert step == same
        assert observe(other, seat) == observe(true, seat)
        do(other, step, dice)
    assert [seen_by(e, seat) for e in again] == [seen_by(e, seat) for e in log]
    if swap is not None:
        assert again != log


def renamed_contracts(plan: Plan, log: list[Event], seat: int, random: Random) -> dict[int, int]:
    """Return other numbers for the contracts that this seat never saw."""
    seen: set[int | None] = set()
    for event in log:
        if isinstance(event, Deal):
            seen |= set(event.contracts[seat])
        if isinstance(event, Offer) and event.seat == seat:
            seen |= set(event.contracts)
    everything = range(len(plan.rules.board.contracts))
    unseen = [i for i in everything if i not in seen]
    new = unseen[:]
    random.shuffle(new)
    return {i: i for i in everything} | dict(zip(unseen, new, strict=True))


def test_passes_are_reported() -> None:
    assert seen_by(Pass(1, ms=3), 0) == Pass(1)
