"""Invariants of a match for any behaviour of its bots, its network and its clock."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Literal

from hypothesis import event as label, given, strategies as st

from damrak_engine import scoring
from damrak_engine.actions import ClaimRoute
from damrak_engine.boards import load_board
from damrak_engine.clock import US_PER_MS, TimeControl
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.effects import Ask, Effect, Finished, Rejected, Stale, Tell, Voided
from damrak_engine.events import (
    FAULTS,
    Blind,
    Claim,
    Decision,
    Event,
    Fault,
    Keep,
    Offer,
    Pass,
    Take,
    event_from_json,
    event_to_json,
    seen_by,
)
from damrak_engine.match import Match
from damrak_engine.observation import observe
from damrak_engine.options import DEFAULTS, Options
from damrak_engine.rules import Rules, rules_for
from damrak_engine.state import State
from samples import examples

AMSTERDAM = load_board("amsterdam")
SEATS = st.integers(0, 3)
BLAME: list[Literal["bot", "network"]] = ["bot", "network"]


@dataclass
class Host:
    """Executes effects, and checks each of them against the state of the match."""

    match: Match
    rng: random.Random
    now: int = 0
    told: list[list[Event]] = field(default_factory=list)
    open: dict[int, Ask] = field(default_factory=dict)
    answers: list[tuple[int, int, int]] = field(default_factory=list)
    ends: list[Effect] = field(default_factory=list)
    checked: int = 0

    def take(self, effects: list[Effect]) -> None:
        match = self.match
        asked = False
        for effect in effects:
            if isinstance(effect, Stale):
                continue
            assert not self.ends, "nothing comes after the end"
            if isinstance(effect, Tell):
                assert not asked, "events are told before the question they matter for"
                self.told[effect.seat] += effect.events
            elif isinstance(effect, Ask):
                asked = True
                assert effect.seat in match.state.owing()
                assert effect.observation == observe(match.state, effect.seat)
                assert effect.legal == match.state.legal_for(effect.seat)
                assert effect.legal
                assert effect.time_left.us > 0
                former = self.open.get(effect.seat)
                if former is not None and former.decision == effect.decision:
                    assert former.observation == effect.observation
                    assert former.time_left.bank_us >= effect.time_left.bank_us
                self.open[effect.seat] = effect
            elif isinstance(effect, Rejected):
                # None if it guessed the id while it was disconnected.
                known = self.open.get(effect.seat)
                assert known is None or known.decision == effect.decision
                assert 0 < effect.strikes_left < match.control.strikes
            else:
                assert isinstance(effect, Finished | Voided)
                self.ends.append(effect)
        self.check()

    def check(self) -> None:
        match = self.match
        for seat, told in enumerate(self.told):
            assert len(told) == len(match.log)
            news = range(self.checked, len(told))
            # As text, because comparisons ignore `ms` and `note`.
            assert [repr(told[i]) for i in news] == [
                repr(seen_by(match.log[i], seat)) for i in news
            ]
        self.checked = len(match.log)
        deadline = match.next_deadline()
        if match.is_over:
            assert deadline is None
            assert len(self.ends) == 1
        else:
            assert deadline is not None
            assert deadline > self.now

    def pass_time(self, us: int) -> int:
        self.now += us
        return self.now

    def play(self, decisions: int, us: int) -> None:
        """Make this number of decisions, each after `us` microseconds."""
        for _ in range(decisions):
            asks = [
                ask
                for ask in self.open.values()
                if ask.seat in self.match.state.owing() and self._is_open(ask)
            ]
            if not asks or self.match.is_over:
                return
            ask = self.rng.choice(asks)
            self.answer(ask, self.rng.choice(ask.legal), us)

    def _is_open(self, ask: Ask) -> bool:
        return (ask.seat, ask.decision) not in {answer[:2] for answer in self.answers}

    def answer(self, ask: Ask, action: int, us: int) -> None:
        note = self.rng.choice([None, "ok", "\ud800" * 300, 7])
        self.answers.append((ask.seat, ask.decision, action))
        self.take(self.match.decided(ask.seat, ask.decision, action, self.pass_time(us), note))


def action_of(rules: Rules, state: State, event: Event) -> int:
    """Return the action id of this decision."""
    match event:
        case Keep(seat=seat, contracts=kept):
            offer = state.offers[seat]
            return 6 + sum(1 << i for i, contract in enumerate(offer) if contract in kept)
        case Blind():
            return 0
        case Take(slot=slot):
            return 1 + slot
        case Offer():
            return 6
        case Pass():
            return 10
        case Claim(route=route, colour=colour, wilds=wilds):
            return rules.space.id_of(ClaimRoute(route, colour, wilds))
    raise AssertionError(event)


def replayed(
    rules: Rules, seed: bytes, log: list[Event]
) -> tuple[list[Event], scoring.Result | None]:
    """Return log and result of the same decisions and faults, played without an arbiter."""
    again: list[Event] = []
    dice = SeedDice(seed)
    state = new_game(rules, dice, again)
    for event in log:
        if isinstance(event, Fault):
            assert event.seat == state.actor
            state.leave(event.seat, event.reason, event.detail, dice)
        elif isinstance(event, Decision):
            assert event.seat == state.actor
            state.apply(action_of(rules, state, event), dice)
    return again, scoring.result(state, dice) if state.is_over else None


times = st.sampled_from([0, 1, 999, 40_000, 900_000, 3_000_000, 30_000_000])
anything = st.one_of(
    st.integers(-2, 300), st.none(), st.text(max_size=3), st.integers(10**18, 10**40)
)
steps = st.one_of(
    st.tuples(st.just("play"), st.integers(1, 60), st.sampled_from([0, 1500, 40_000])),
    st.tuples(st.just("play"), st.integers(1, 3), times),
    st.tuples(st.just("say"), SEATS, anything),
    st.tuples(st.just("nonsense"), SEATS, st.text(max_size=3)),
    st.tuples(st.just("repeat"), st.integers(0, 200), anything),
    st.tuples(st.just("stranger"), st.integers(-2, 5), st.integers(-2, 200)),
    st.tuples(st.just("away"), SEATS, times),
    st.tuples(st.just("back"), SEATS, times),
    st.tuples(st.just("tick"), st.just(0), times),
    st.tuples(st.just("fail"), SEATS, st.sampled_from(FAULTS)),
    st.tuples(st.just("void"), st.integers(0, 30), times),
)
controls = st.builds(
    TimeControl,
    decision_ms=st.sampled_from([None, 1, 1000, 10_000]),
    bank_ms=st.sampled_from([1, 2_000, 60_000]),
    increment_ms=st.sampled_from([0, 1, 1_000]),
    grace_ms=st.sampled_from([0, 1_000, 30_000]),
    strikes=st.integers(1, 4),
)
option_sets = st.sampled_from(
    [
        DEFAULTS,
        DEFAULTS,
        Options(initial_choice="in_turn_order", final_tie="seed draw"),
        Options(second_card="optional", pass_="voluntary", returned_order="shuffled"),
    ]
)


def take_step(host: Host, step: tuple[str, object, object]) -> None:
    """Apply a step to the match."""
    match = host.match
    seats = match.rules.seats
    kind, first, second = step
    number = first if isinstance(first, int) else 0
    seat = number % seats
    us = second if isinstance(second, int) else 0
    if kind == "play":
        host.play(number, us)
    elif kind == "say":
        asked = host.open.get(seat)
        host.take(match.decided(seat, asked.decision if asked else 1, second, host.now))
    elif kind == "nonsense":
        asked = host.open.get(seat)
        host.take(match.nonsense(seat, asked.decision if asked else 1, str(second), host.now))
    elif kind == "repeat" and host.answers:
        seat, decision, _ = host.answers[number % len(host.answers)]
        before = list(match.log)
        effects = match.decided(seat, decision, second, host.now)
        assert [type(effect) for effect in effects] == [Stale]
        assert match.log == before
        host.take(effects)
    elif kind == "stranger":
        host.take(match.decided(number, us, 0, host.now))
    elif kind == "away":
        host.take(match.disconnected(seat, host.pass_time(us)))
    elif kind == "back":
        host.take(match.reconnected(seat, host.pass_time(us)))
    elif kind == "tick":
        host.take(match.tick(host.pass_time(us)))
    elif kind == "fail":
        host.take(match.failed(seat, str(second), "\udfff", host.rng.choice(BLAME), host.now))
    elif kind == "void" and number == 0:
        host.take(match.void("host", "called off", host.pass_time(us)))


def bring_to_an_end(host: Host) -> None:
    """End the match by its deadlines alone, without answers, using each seat's at most once."""
    for _ in range(host.match.rules.seats):
        deadline = host.match.next_deadline()
        if deadline is None:
            break
        host.now = deadline
        host.take(host.match.tick(deadline))
    assert host.match.is_over


@given(
    seed=st.binary(min_size=32, max_size=32),
    seats=st.integers(2, 4),
    control=controls,
    options=option_sets,
    script=st.lists(steps, max_size=40),
    whim=st.integers(0, 2**32),
    patient=st.booleans(),
)
@examples(150)
def test_every_match_is_a_legal_game_and_ends(
    seed: bytes,
    seats: int,
    control: TimeControl,
    options: Options,
    script: list[tuple[str, object, object]],
    whim: int,
    patient: bool,
) -> None:
    rules = rules_for(AMSTERDAM, seats, options)
    match = Match(rules, SeedDice(seed), control)
    host = Host(match, random.Random(whim), told=[[] for _ in range(seats)])
    host.take(match.begin(0))
    for step in script:
        take_step(host, step)
    if patient:
        host.play(1000, 0)
    bring_to_an_end(host)
    label("void" if match.voided else match.state.end_reason)

    for seat, told in enumerate(host.told):
        assert match.history(seat) == tuple(told)
    log, result = replayed(rules, seed, match.log)
    assert log == match.log
    if match.voided:
        assert host.ends == [match.voided]
        assert match.result is None
        return
    assert result is not None
    assert match.result == result
    assert host.ends == [Finished(result)]

    for seat in range(seats):
        own = [event for event in match.log if isinstance(event, Decision) and event.seat == seat]
        charged = [event.ms for event in own if event.ms is not None]
        assert len(charged) == len(own)
        assert sum(charged) <= control.bank_ms + control.increment_ms * len(own)
        # One more increment if a choice was accepted, but not logged because of a forfeit.
        most = control.bank_ms + control.increment_ms * (len(own) + 1)
        assert 0 <= match.time_left(seat, host.now).bank_us <= most * US_PER_MS

    left_table = {i: event for i, event in enumerate(match.log) if isinstance(event, Fault)}
    recorded = {
        record.event: Fault(record.seat, record.reason, record.detail)
        for record in match.faults
        if record.event is not None
    }
    assert recorded == left_table
    assert len({record.seat for record in match.faults}) == len(match.faults)
    for event in match.log:
        line = json.dumps(event_to_json(event), ensure_ascii=False).encode()
        assert event_from_json(json.loads(line)) == event


@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(0, 2**32))
@examples(30)
def test_interference_by_others_does_not_change_the_game(
    number: int, seats: int, noise: int
) -> None:
    """Bots with equal answers produce the same log, whatever other input the arbiter receives."""
    logs = []
    for noisy in (False, True):
        seed = random.Random(number).randbytes(32)
        match = Match(rules_for(AMSTERDAM, seats), SeedDice(seed))
        rng = random.Random(noise)
        queue = [effect for effect in match.begin(0) if isinstance(effect, Ask)]
        while queue:
            ask = queue.pop(rng.randrange(len(queue)) if noisy else 0)
            if noisy:
                seat = rng.randrange(seats)
                decision = rng.randrange(ask.decision + 3)
                if all((seat, decision) != (open_.seat, open_.decision) for open_ in (ask, *queue)):
                    match.decided(seat, decision, rng.randrange(11), 0)
                match.disconnected(seat, 0)
                match.tick(0)
                again = match.reconnected(seat, 0)
                assert all(isinstance(effect, Ask) for effect in again)
            choice = random.Random(number ^ ask.seat ^ len(ask.legal)).choice(ask.legal)
            effects = match.decided(ask.seat, ask.decision, choice, 0)
            queue += [effect for effect in effects if isinstance(effect, Ask)]
        assert match.is_over
        logs.append(match.log)
    assert logs[0] == logs[1]
