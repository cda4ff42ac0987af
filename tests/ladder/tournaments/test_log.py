"""The fold of a tournament's log, with generated histories."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.tournaments.formats import GameResult
from damrak_ladder.tournaments.log.acts import Act, Kind, parse_payload
from damrak_ladder.tournaments.log.advance import next_step
from damrak_ladder.tournaments.log.course import course
from damrak_ladder.tournaments.log.errors import BadPayload, BadRules, NotPossible
from damrak_ladder.tournaments.log.fold import apply, fold
from damrak_ladder.tournaments.log.rules import parse_rules, rules_json
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import BlockKey, Phase
from samples import examples

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SECRET = bytes(32)
CHAINED = {
    "stages": [
        {"format": "groups", "groups": 2, "advance": 1},
        {"format": "single-elimination", "sources": [{"stage": 0}]},
    ]
}


@dataclass
class History:
    """A log that grows by acts and results drawn at random."""

    rules: dict[str, Any]
    entrants: int
    chance: random.Random
    acts: list[Act] = field(default_factory=list)
    results: dict[BlockKey, tuple[GameResult, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.add(Kind.CREATE, rules=rules_json(parse_rules(self.rules)))
        for number in range(1, self.entrants + 1):
            self.add(Kind.ENTER, entrant=number, bot=number, owner=number)
        self.add(Kind.CLOSE, versions={str(one): one for one in range(1, self.entrants + 1)})
        self.add(Kind.START, seeds=list(range(1, self.entrants + 1)))

    def add(self, kind: Kind, undoes: int | None = None, **payload: Any) -> Act:
        """Append an act."""
        serial = len(self.acts) + 1
        at = NOW + timedelta(minutes=serial)
        said = parse_payload(kind, payload)
        self.acts.append(Act(serial, kind, said, None, at, undoes))
        return self.acts[-1]

    @property
    def state(self) -> State:
        """Return the state after all acts."""
        return fold(self.acts)

    def advance(self) -> bool:
        """Record one block, or else pair; return False if nothing is left to do."""
        state = self.state
        played = course(state, self.results)
        wanted = [
            (one.pairing.block_key(number), len(one.pairing.entrants))
            for verdicts in played.verdicts.values()
            for one in verdicts
            for number in one.wanted
        ]
        if wanted and state.phase is Phase.RUNNING:
            key, size = self.chance.choice(wanted)
            self.results[key] = (self._game(size), self._game(size))
            return True
        step = next_step(state, played, SECRET)
        if step is None:
            return False
        self.add(step[0], **step[1])
        return True

    def _game(self, size: int) -> GameResult:
        drawn = [self.chance.randrange(3) for _ in range(size)]
        return GameResult(tuple(1 + sum(other < one for other in drawn) for one in drawn))

    def intervene(self) -> Act | None:
        """Append a random act of an organiser; None if it is not possible."""
        pairings = list(self.state.pairings())
        made, pairing = self.chance.choice(pairings)
        where = dict(zip(("stage", "round", "generation"), made.key, strict=True))
        table = {**where, "table": pairing.key.table}
        kind, payload = self.chance.choice(
            [
                (Kind.REPLAY_ROUND, where),
                (Kind.REPLAY_BLOCK, {**table, "number": 1}),
                (Kind.WITHDRAW, {"entrant": self.chance.choice(pairing.entrants)}),
                (Kind.DISQUALIFY, {"entrant": pairing.entrants[0], "ruling": "award"}),
                (Kind.OVERRIDE, {**table, "places": list(range(1, len(pairing.entrants) + 1))}),
                (Kind.RELEASE, {**where, "level": "hidden"}),
                (Kind.STOP, {"on": False}),
            ]
        )
        act = self.add(kind, **payload)
        try:
            fold(self.acts)
        except NotPossible:
            self.acts.pop()
            return None
        return act


FORMATS = st.sampled_from(
    [
        {"stages": [{"format": "round-robin"}]},
        {"stages": [{"format": "swiss", "rounds": 3}]},
        {"stages": [{"format": "single-elimination", "sudden_death_limit": 1}]},
        {"stages": [{"format": "double-elimination", "sudden_death_limit": 1}]},
        {"stages": [{"format": "swiss-tables", "players": 4, "rounds": 2}]},
        CHAINED,
    ]
)


@st.composite
def histories(draw: st.DrawFn) -> History:
    chance = random.Random(draw(st.integers(0, 1 << 32)))
    history = History(draw(FORMATS), draw(st.integers(4, 9)), chance)
    for _ in range(draw(st.integers(1, 60))):
        history.advance()
        if chance.random() < 0.05 and list(history.state.pairings()):
            history.intervene()
    return history


@examples(40)
@given(histories())
def test_every_prefix_folds_and_the_fold_equals_the_incremental_state(history: History) -> None:
    state = fold(history.acts[:1])
    for at, act in enumerate(history.acts[1:], 2):
        apply(state, act)
        assert state == fold(history.acts[:at])


@examples(40)
@given(histories())
def test_each_block_counts_for_one_pairing_and_each_entrant_is_paired_once(
    history: History,
) -> None:
    state = history.state
    origins = [pairing.origin for _, pairing in state.pairings()]
    assert len(origins) == len(set(origins))
    for made in state.rounds():
        listed = [number for one in made.pairings.values() for number in one.entrants]
        assert len(listed) == len(set(listed))
        assert made.key not in state.superseded
    for key in history.results:
        counting = [one for _, one in state.pairings() if one.origin == key.pairing]
        assert len(counting) <= 1
        assert state.counts(key) <= bool(counting)


@examples(40)
@given(histories())
def test_undo_restores_the_state(history: History) -> None:
    if not list(history.state.pairings()):
        return
    before = history.state
    act = history.intervene()
    if act is None:
        return
    history.add(Kind.UNDO, undoes=act.serial)
    after = history.state
    after.serial = before.serial
    assert after == before
    history.add(Kind.UNDO, undoes=act.serial + 1)
    again = history.state
    again.serial = act.serial
    assert again == fold(history.acts[: act.serial])


@examples(40)
@given(histories(), st.integers(0, 1 << 16))
def test_rollback_leaves_earlier_rounds_as_they_were(history: History, pick: int) -> None:
    state = history.state
    rounds = list(state.rounds())
    if not rounds:
        return
    made = rounds[pick % len(rounds)]
    where = dict(zip(("stage", "round", "generation"), made.key, strict=True))
    history.add(Kind.REPLAY_ROUND, **where)
    after = history.state
    kept = [one for one in rounds if one.key.stage == made.key.stage]
    kept = kept[: made.key.number - 1]
    assert list(after.stages[made.key.stage].rounds) == kept
    for number, stage in after.stages.items():
        if number < made.key.stage:
            assert stage == state.stages[number]


@examples(25)
@given(FORMATS, st.integers(4, 9), st.integers(0, 1 << 32))
def test_tournament_ends_and_rounds_rest_on_decided_ones(
    rules: dict[str, Any], entrants: int, seed: int
) -> None:
    history = History(rules, entrants, random.Random(seed))
    steps = iter(range(2000))
    while history.advance():
        assert next(steps, None) is not None
        played = course(history.state, history.results)
        for stage in history.state.stages.values():
            assert all(played.is_complete(made.key) for made in stage.rounds[:-1])
    assert history.state.phase is Phase.OVER
    twin = History(rules, entrants, random.Random(seed))
    twin.results = dict(reversed(history.results.items()))
    for act in history.acts[len(twin.acts) :]:
        twin.acts.append(act)
    assert course(twin.state, twin.results) == course(history.state, history.results)


def bad_rules() -> Iterator[tuple[object, str]]:
    stage = {"format": "swiss"}
    yield [], "rules"
    yield {}, "stages"
    yield {"stages": []}, "stages"
    yield {"stages": [{}]}, "stages.0.format"
    yield {"stages": [{"format": "ludo"}]}, "stages.0.format"
    yield {"stages": [{**stage, "bye_points": "1/0"}]}, "stages.0.bye_points"
    yield {"stages": [stage, stage]}, "stages.1.sources"
    yield {"stages": [{**stage, "sources": [{"stage": 0}]}]}, "stages.0.sources.stage"
    yield {"stages": [stage], "colour": "red"}, "rules.colour"
    yield {"stages": [stage], "visibility": "secret"}, "visibility"
    yield {"stages": [stage], "schedule": {"zone": "Mars/Olympus"}}, "schedule.zone"
    yield {"stages": [stage], "schedule": {"opens": "2030-01-01T10:00"}}, "schedule.opens"
    yield {"stages": [stage], "entry": {"domain": "uni"}}, "entry.domain"
    yield {"stages": [stage], "entry": {"low": 1.0}}, "entry.ladder"


@pytest.mark.parametrize(("rules", "field_"), list(bad_rules()))
def test_bad_rules_name_the_field(rules: object, field_: str) -> None:
    with pytest.raises(BadRules) as found:
        parse_rules(rules)
    assert found.value.field == field_


def test_rules_survive_their_json() -> None:
    given_ = {
        "stages": [{"format": "swiss-tables", "players": 4, "bye_points": "1/2", "rounds": 3}],
        "boards": ["practice", "daily:24"],
        "schedule": {"opens": "2030-01-01T10:00+01:00", "daily": "20:00", "zone": "Europe/Oslo"},
        "reveal": "hidden",
    }
    rules = parse_rules(given_)
    assert parse_rules(rules_json(rules)) == rules


@given(st.sampled_from(list(Kind)), st.dictionaries(st.text(max_size=8), st.integers()))
def test_payload_with_unknown_fields_is_refused(kind: Kind, payload: dict[str, int]) -> None:
    try:
        found = parse_payload(kind, payload)
    except BadPayload:
        return
    assert set(payload) <= set(found)
