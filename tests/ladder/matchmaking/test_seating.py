"""Matchmaking: invariants for any field, and long-term properties."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from damrak_ladder.matchmaking import (
    HOUSE,
    MOST_TURNS,
    Entrant,
    Field,
    Policy,
    arrange,
    seating,
)
from samples import examples

TWO, FAIR = Policy(shares={2: 1.0}), Policy()


@st.composite
def entrants(draw, least=0):
    count = draw(st.integers(least, 14))
    anchor = st.builds(
        Entrant, owner=st.just(HOUSE), elo=_elos, error=st.just(0.0), is_anchor=st.just(True)
    )
    other = st.builds(
        Entrant,
        owner=st.integers(HOUSE, 5),
        elo=_elos,
        error=st.floats(1, 400),
        blocks=st.dictionaries(st.sampled_from((2, 3, 4)), st.integers(0, 40)),
        pending=st.integers(0, 5),
        recent=st.lists(st.integers(0, max(0, count - 1)), max_size=40).map(tuple),
    )
    return Field.of(draw(st.lists(st.one_of(other, other, anchor), min_size=count, max_size=count)))


_elos = st.floats(-1000, 4000)
policies = st.builds(
    Policy,
    shares=st.dictionaries(st.sampled_from((2, 3, 4)), st.floats(0.1, 5), min_size=1),
    fresh=st.integers(0, 30),
    far=st.integers(1, 10),
)


def even(count, owners=None, **how):
    """Return a field of bots that have played a little, spread over 1000 Elo."""
    return Field.of(
        [
            Entrant(
                owner=at if owners is None else at % owners,
                elo=1000 + 1000 * at / count,
                error=how.get("error", 60.0),
                blocks={2: 10, 3: 10, 4: 10},
            )
            for at in range(count)
        ]
    )


def played_on(field, policy, rounds, count):
    """Arrange repeatedly, each time with the previous tables under way."""
    seated = []
    for seed in range(rounds):
        tables = arrange(field, policy, seed, count)
        seated += tables
        field = field.after(table.players for table in tables)
    return field, seated


@given(entrants(), policies, st.integers(0, 100), st.integers(0, 12))
@examples(150)
def test_every_table_keeps_the_rules(field, policy, seed, count):
    tables = arrange(field, policy, seed, count)
    assert len(tables) <= count
    for table in tables:
        assert policy.shares.get(len(table.players), 0) > 0
        assert len(set(table.players)) == len(table.players)
        owners = [field.owner[at] for at in table.players if field.owner[at] != HOUSE]
        assert len(set(owners)) == len(owners)
        assert not field.is_anchor[table.players[0]]


@given(entrants(), policies, st.integers(0, 100), st.integers(0, 12))
@examples(50)
def test_the_same_question_has_the_same_answer(field, policy, seed, count):
    before = field.blocks.copy(), field.recent.copy()
    assert arrange(field, policy, seed, count) == arrange(field, policy, seed, count)
    assert (field.blocks == before[0]).all()
    assert (field.recent == before[1]).all()


@given(entrants(least=2), st.integers(0, 100))
@examples(60)
def test_every_version_that_can_be_seated_is(field, seed):
    """Two bots that may meet are enough, if one of them is not an anchor."""
    pair = any(
        not field.is_anchor[a] and a != b and (field.owner[a] != field.owner[b] or owner == HOUSE)
        for a, owner in enumerate(field.owner)
        for b in range(len(field))
    )
    assert bool(arrange(field, TWO, seed, 1)) == pair


@given(entrants(least=4), st.integers(0, 100))
@examples(60)
def test_fresh_versions_come_first(field, seed):
    tables = arrange(field, Policy(fresh=12), seed, 1)
    totals = field.blocks.sum(axis=1)
    for table in tables:
        first = table.players[0]
        if table.reason == "fresh":
            assert totals[first] < 12
        else:
            seats = (2, 3, 4)
            fresh = np.flatnonzero((totals < 12) & ~field.is_anchor)
            assert all(_alone(field, at, seats) for at in fresh)


def _alone(field, at, seats):
    others = np.delete(field.owner, at)
    return field.owner[at] != HOUSE and (others == field.owner[at]).all()


def test_every_version_gets_its_shares_of_every_size():
    policy = Policy(shares={2: 2.0, 3: 1.0, 4: 1.0})
    before = even(40)
    field, _ = played_on(before, policy, rounds=75, count=20)
    gained = field.blocks - before.blocks
    assert gained.sum(axis=1).min() >= 40
    lack = policy.parts * field.blocks.sum(axis=1, keepdims=True) - field.blocks
    assert np.abs(lack).max() <= 4


def test_a_newcomer_sits_at_a_large_table_first():
    """Its first block is most informative there, about it and about three others."""
    newcomers = Field.of([Entrant(at, 1500.0, 300.0) for at in range(12)])
    assert len(arrange(newcomers, FAIR, 1, 1)[0].players) == 4


def test_nobody_is_left_behind():
    field, _ = played_on(even(40, error=30.0), FAIR, rounds=100, count=10)
    total = field.blocks.sum(axis=1)
    assert total.min() >= np.mean(total) / 2


def test_the_uncertain_play_more():
    field = even(30)
    field.error[10] = 200.0
    after, _ = played_on(field, TWO, rounds=1, count=15)
    gained = (after.blocks - field.blocks).sum(axis=1)
    assert gained[10] == gained.max() > 2


def test_most_opponents_are_of_similar_strength():
    _, seated = played_on(even(100), TWO, rounds=10, count=50)
    gaps = [abs(a - b) for a, b in (table.players for table in seated)]
    assert np.median(gaps) < 20


def test_everyone_meets_everyone_in_the_end():
    """Including the best and the last, who learn nothing from each other."""
    _, seated = played_on(even(12), TWO, rounds=240, count=6)
    met = Counter(frozenset(table.players) for table in seated)
    assert len(met) == 12 * 11 / 2


def test_no_pair_can_count_on_meeting():
    """In a field of 40, only a few of a bot's blocks are against any one other bot."""
    _, seated = played_on(even(40), TWO, rounds=50, count=20)
    played = Counter(at for table in seated for at in table.players)
    met = Counter(tuple(sorted(table.players)) for table in seated)
    for (a, b), times in met.items():
        assert times <= 2 + 0.2 * min(played[a], played[b])


def test_no_pair_of_a_small_field_meets_more_often_than_all_others():
    _, seated = played_on(even(12), TWO, rounds=60, count=6)
    played = Counter(at for table in seated for at in table.players)
    met = Counter(tuple(sorted(table.players)) for table in seated)
    assert max(times / min(played[a], played[b]) for (a, b), times in met.items()) <= 0.5


def test_versions_with_uncertain_order_play_more():
    """Bots in a crowd play more than other bots with equal errors."""
    crowd = [Entrant(at, 1500.0 + 10 * at, 30.0, {2: 20}) for at in range(8)]
    alone = [Entrant(8 + at, 1800.0 + 250 * at, 30.0, {2: 20}) for at in range(8)]
    before = Field.of([*crowd, *alone])
    after, _ = played_on(before, TWO, rounds=1, count=30)
    gained = (after.blocks - before.blocks).sum(axis=1)
    assert gained[:8].sum() > 3 * gained[8:].sum()


def test_anchors_are_met_all_over_the_ladder():
    anchors = [Entrant(HOUSE, 900 + 600 * at, 0.0, is_anchor=True) for at in range(3)]
    others = [Entrant(at, 1000.0 + 10 * at, 60.0, {2: 20}) for at in range(50)]
    field = Field.of([*anchors, *others])
    _, seated = played_on(field, TWO, rounds=40, count=25)
    with_anchor = {at for table in seated if min(table.players) < 3 for at in table.players}
    assert len(with_anchor) >= 40


def test_two_owners_share_no_more_tables_than_they_must():
    field = even(20, owners=2)
    tables = arrange(field, FAIR, 1, 10)
    assert tables
    assert all(len(table.players) == 2 for table in tables)


def test_work_under_way_counts():
    """A second call before any game was played seats other versions."""
    field = even(40)
    first = arrange(field, TWO, 1, 5)
    second = arrange(field.after(table.players for table in first), TWO, 2, 5)
    busy = {table.players[0] for table in first}
    assert not busy & {table.players[0] for table in second}


@pytest.mark.parametrize("shares", [{}, {2: 0.0}, {5: 1.0}, {2: -1.0, 3: 2.0}])
def test_shares_that_make_no_sense_are_refused(shares):
    with pytest.raises(ValueError, match="shares"):
        Policy(shares=shares)


def test_a_table_of_a_large_field_reads_a_part_of_it(monkeypatch):
    """The work for another table does not depend on the number of versions."""
    looked = []
    original = seating._Seating._worth
    monkeypatch.setattr(
        seating._Seating,
        "_worth",
        lambda self, first, others, size: (
            looked.append(len(others)) or original(self, first, others, size)
        ),
    )
    arrange(even(3000), FAIR, 1, 200)
    assert max(looked) <= 40


def eligible_gaps(field, policy, calls, seed):
    """Return the longest gap of each eligible version, in tables, over several calls."""
    eligible = np.flatnonzero(field.eligible)
    last, longest, played = dict.fromkeys(eligible, 0), dict.fromkeys(eligible, 0), 0
    for count in calls:
        tables = arrange(field, policy, seed, count)
        seed += 1
        assert len(tables) == count
        for table in tables:
            played += 1
            for at in set(table.players) & last.keys():
                longest[at] = max(longest[at], played - last[at] - 1)
                last[at] = played
        field = field.after(table.players for table in tables)
    return [max(longest[at], played - last[at]) for at in eligible]


def most_gap(field, policy):
    fair_turn = np.count_nonzero(field.eligible) / policy.seats
    return MOST_TURNS * fair_turn


@given(
    st.integers(5, 40),
    st.integers(0, 3),
    st.integers(1, 3),
    st.floats(0, 400),
    st.dictionaries(st.sampled_from((2, 3, 4)), st.floats(0.1, 5), min_size=1),
    st.lists(st.integers(1, 30), min_size=3, max_size=8),
    st.integers(0, 1000),
)
@examples(60)
def test_no_eligible_version_waits_longer_than_four_fair_turns(
    bots, anchors, per_owner, spread, shares, calls, seed
):
    """With batches of any size, tables of every size, several bots of one owner, and anchors."""
    draw = np.random.default_rng(seed)
    owners = max(5, -(-bots // per_owner))
    others = [
        Entrant(at % owners, 1500 + spread * draw.standard_normal(), error, {2: 20, 3: 20, 4: 20})
        for at, error in enumerate(draw.uniform(5, 200, bots))
    ]
    house = [Entrant(HOUSE, 1500.0, 0.0, is_anchor=True) for _ in range(anchors)]
    field, policy = Field.of([*others, *house]), Policy(shares=shares)
    gaps = eligible_gaps(field, policy, [*calls, 4 * bots], seed)
    assert max(gaps) <= most_gap(field, policy) + 1e-6


def test_the_limit_holds_for_a_version_from_which_nothing_is_learnt():
    """Without the limit, a version far from all others is not seated for 1,000 tables."""
    crowd = [Entrant(at, 1500.0 + at, 80.0, {2: 50}) for at in range(39)]
    field = Field.of([*crowd, Entrant(39, 4000.0, 1.0, {2: 90})])
    assert max(eligible_gaps(field, TWO, [25] * 40, 1)) <= most_gap(field, TWO) == 80


def test_newcomers_do_not_delay_a_version_beyond_the_limit():
    """Thirty new versions take precedence over all others until their sixth block."""
    old = [Entrant(at, 1500.0 + at, 40.0, {2: 50}, waited=1.9) for at in range(3)]
    field = Field.of([*old, *(Entrant(3 + at, 1500.0, 300.0) for at in range(30))])
    tables = arrange(field, TWO, 1, 10)
    seated = [at for table in tables for at in table.players]
    assert {0, 1, 2} <= set(seated)
    assert "waited" in {table.reason for table in tables}


def test_a_shrunken_field_is_served_by_all_seats():
    """Twenty versions are over the limit at once: each table takes four of them."""
    field = Field.of([Entrant(at, 1000.0 + 50 * at, 50.0, {4: 20}, waited=2.0) for at in range(20)])
    tables = arrange(field, Policy(shares={4: 1.0}), 1, 6)
    assert {at for table in tables for at in table.players} == set(range(20))


def test_a_version_without_room_is_not_seated():
    field = Field.of([Entrant(at, 1500.0, 50.0, room=at if at < 3 else 10**6) for at in range(12)])
    seated = Counter(at for table in arrange(field, FAIR, 1, 30) for at in table.players)
    assert [seated[at] for at in range(3)] == [0, 1, 2]
