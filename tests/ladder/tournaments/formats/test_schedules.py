"""Round robin, groups, gauntlet and snapshot."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.tournaments.formats import (
    StageRules,
    pair_round,
    plan,
    standings,
    tables,
)
from damrak_ladder.tournaments.formats.history import history
from damrak_ladder.tournaments.formats.schedules import circle
from ladder.tournaments.formats.events import field, play
from samples import examples

ROBIN = StageRules(format="round-robin")


@pytest.fixture(autouse=True)
def _short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat tables quickly: these tests are about other things."""
    monkeypatch.setattr(tables, "STEPS_PER_ENTRANT", 40)
    monkeypatch.setattr(tables, "FEWEST_STEPS", 200)


@given(st.integers(2, 40))
def test_a_round_robin_pairs_everybody_once(count: int) -> None:
    rounds = count - 1 + count % 2
    met: Counter[tuple[int, ...]] = Counter()
    for number in range(rounds):
        pairs = circle(count, number)
        assert sorted(at for pair in pairs for at in pair) == list(range(count))
        met.update(pair for pair in pairs if len(pair) == 2)
    assert met == Counter(combinations(range(count), 2))
    if count % 2 == 0:
        assert (0, 1) in circle(count, rounds - 1)


def test_a_double_round_robin_pairs_everybody_twice() -> None:
    rules = replace(ROBIN, double=True)
    rounds = play(rules, field(5))
    assert len(rounds) == 10
    assert set(history(rounds).meetings.values()) == {2}
    assert plan(rules, field(5)).pairings == 20


def test_withdrawn_entrants_leave_a_bye_to_their_opponents() -> None:
    before = play(ROBIN, field(6), rounds=2)
    found = pair_round(ROBIN, field(6), before, seed="x", absent=[6])
    assert found is not None
    assert sum(it.is_bye for it in found.pairings) == 1
    assert 6 not in {number for it in found.pairings for number in it.entrants}


@examples(20)
@given(count=st.integers(6, 30), groups=st.integers(2, 3))
def test_groups_are_snaked_and_play_among_themselves(count: int, groups: int) -> None:
    rules = StageRules(format="groups", groups=groups)
    rounds = play(rules, field(count))
    rows = standings(rules, field(count), rounds)
    sizes = Counter(row.group for row in rows)
    assert max(sizes.values()) - min(sizes.values()) <= 1
    assert {row.group for row in rows if row.number <= groups} == set(range(groups))
    of = {row.number: row.group for row in rows}
    for result in (it for results in rounds for it in results):
        assert {of[number] for number in result.pairing.entrants} == {result.pairing.group}
    pairs = sum(size * (size - 1) // 2 for size in sizes.values())
    assert len(history(rounds).meetings) == pairs
    assert [row.place for row in rows if row.group == 1][:1] == [1]


def test_tables_of_a_round_robin_meet_about_equally_often() -> None:
    for count, players in ((9, 3), (12, 4), (16, 4), (13, 4)):
        rules = StageRules(format="round-robin", players=players)
        rounds = play(rules, field(count))
        past = history(rounds)
        times = [past.met(*pair) for pair in combinations(range(1, count + 1), 2)]
        assert max(times) - min(times) <= 2
        assert plan(rules, field(count)).pairings == sum(map(len, rounds))


def test_a_gauntlet_lets_challengers_meet_all_others() -> None:
    rules = StageRules(format="gauntlet", challengers=2)
    past = history(play(rules, field(9)))
    assert set(past.meetings) == {frozenset((one, it)) for one in (1, 2) for it in range(3, 10)}
    assert set(past.meetings.values()) == {1}
    guests = [replace(it, guest=it.number > 4) for it in field(7)]
    past = history(play(rules, guests))
    assert set(past.meetings) == {frozenset((one, it)) for one in range(1, 5) for it in range(5, 8)}
    tables = history(play(StageRules(format="gauntlet", players=4), field(10)))
    assert {pair for pair in tables.meetings if 1 in pair} == {
        frozenset((1, it)) for it in range(2, 11)
    }


def test_a_snapshot_takes_the_first_of_the_list_and_plays_evenly() -> None:
    rules = StageRules(format="snapshot", field=8, rounds=7)
    rounds = play(rules, field(30))
    rows = standings(rules, field(30), rounds)
    assert sorted(row.number for row in rows) == list(range(1, 9))
    assert {row.played for row in rows} == {7}
    assert set(history(rounds).meetings.values()) == {1}
