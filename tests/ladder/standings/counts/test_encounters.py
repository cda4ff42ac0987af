"""Head-to-head results compared with Elo, and only significant differences."""

from __future__ import annotations

from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, strategies as st

from damrak_ladder.ratings import Block as Played, Game
from damrak_ladder.standings.counts.encounters import (
    _fewest,
    _least_chance,
    encounter_of,
    head_to_head,
    matrix,
    opponents,
    significant,
)
from damrak_ladder.standings.counts.tallies import add, meetings_of
from damrak_ladder.standings.counts.updates import absorb
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.models import Meeting, Standing
from damrak_ladder.standings.packed_blocks import Outcome
from damrak_statistics.block_scores import elo_estimate, score_of
from ladder.people import NOW
from ladder.seasons import a_ladder, some_field, some_recorded, some_season

with_database = pytest.mark.usefixtures("database")

WON, LOST, TIED = (1, 2), (2, 1), (1, 1)


def duel(one, other, *places):
    """Return a block of two players with these places."""
    games = tuple(Game((at % 2, 1 - at % 2), where) for at, where in enumerate(places))
    nothing = tuple((0, 0) for _ in games)
    return Outcome(Played((one, other), games), nothing, nothing)


def meeting(outcomes):
    row = meetings_of(outcomes)[1, 2]
    return Meeting(version_id=1, opponent_id=2, **row)


@given(
    st.lists(
        st.sampled_from([WON, LOST, TIED]).map(lambda one: [one, one])
        | st.just([WON, LOST])
        | st.just([WON, TIED]),
        min_size=1,
        max_size=40,
    )
)
def test_the_interval_is_that_of_a_local_series(blocks):
    scores = {}
    for places in blocks:
        score = sum({WON: 2, LOST: 0, TIED: 1}[place] for place in places) / 4
        scores[score] = scores.get(score, 0) + 1
    local = elo_estimate(scores)
    found = encounter_of(meeting([duel(1, 2, *places) for places in blocks]), {})
    assert found.likely == pytest.approx(score_of(local.value))
    assert found.low == pytest.approx(score_of(local.low), abs=1e-3)
    assert found.high == pytest.approx(score_of(local.high), abs=1e-3)
    assert found.expected is None


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=20))
def test_both_sides_see_the_same(blocks):
    outcomes = [
        duel(1, 2, *([WON, LOST, TIED, WON][kind : kind + 1] * games)) for games, kind in blocks
    ]
    sums = meetings_of(outcomes)
    one = encounter_of(Meeting(version_id=1, opponent_id=2, **sums[1, 2]), {1: 1600, 2: 1500})
    other = encounter_of(Meeting(version_id=2, opponent_id=1, **sums[2, 1]), {1: 1600, 2: 1500})
    assert one.score + other.score == pytest.approx(1)
    assert one.low + other.high == pytest.approx(1)
    assert one.expected is not None
    assert one.expected + other.expected == pytest.approx(1)
    assert one.wins == other.losses
    assert 0 < one.low <= one.likely <= one.high < 1
    assert one.chance_of(0.4) == pytest.approx(other.chance_of(0.6))


def test_few_among_many_are_significant_only_if_they_are_very_clear():
    assert significant({"a": 0.04}) == ["a"]
    assert significant(dict.fromkeys("ab", 0.04) | {"c": 0.9}) == []
    assert significant({"a": 0.001, "b": 0.02, "c": 0.03, "d": 0.9}) == ["a"]
    assert significant({}) == []


@given(
    st.lists(st.sampled_from([WON, LOST, TIED]), min_size=1, max_size=30),
    st.floats(-4000, 4000),
)
def test_few_blocks_can_prove_only_so_much(blocks, elo):
    found = encounter_of(meeting([duel(1, 2, places, places) for places in blocks]), {})
    assert found.chance_of(score_of(elo)) >= _least_chance(len(blocks))


def test_opponents_with_too_few_blocks_are_skipped():
    assert _fewest({1: 10}, 15) == 1
    assert _fewest({1: 2000, 2: 500, 9: 14}, 15) == 2
    assert _fewest({1: 2000, 2: 500, 9: 15}, 15) == 9
    assert _fewest({1: 3, 9: 15}, 15) == 9
    assert _fewest({1: 3, 20: 3, 30: 15}, 15) == 20
    assert _fewest({}, 15) == 0


def test_chance_alone_does_not_make_a_nemesis():
    """In ladders of equal bots, at most one in twenty has a result that is called significant."""
    chance = Random(1)
    mistaken = 0
    for _ in range(100):
        found = {}
        for other in range(30):
            blocks = [
                duel(1, 2, *(WON if chance.random() < 0.5 else LOST for _ in range(2)))
                for _ in range(20)
            ]
            found[other] = encounter_of(meeting(blocks), {}).chance_of(0.5)
        mistaken += bool(significant(found))
    assert mistaken <= 10


def lay_down(ladder, versions, results):
    """Let the first of each pair win the given number of its blocks."""
    for (one, other), (won, played) in results.items():
        first, second = versions[one].pk, versions[other].pk
        flip = first > second
        for block in range(played):
            places = (WON, WON) if (block < won) != flip else (LOST, LOST)
            add(ladder.pk, [duel(min(first, second), max(first, second), *places)])


@with_database
def test_rock_paper_and_scissors_form_a_cycle():
    ladder, versions = a_ladder(), some_field(5)
    for block in some_season(ladder, versions, 30):
        absorb(block)
    publish(ladder, NOW)
    Meeting.objects.all().delete()
    lay_down(
        ladder,
        versions,
        {(0, 1): (30, 36), (1, 2): (30, 36), (2, 0): (30, 36), (3, 0): (7, 10), (0, 4): (9, 18)},
    )
    found = matrix(ladder)
    assert len(found.versions) == 5
    rank = {version: at for at, version in enumerate(found.versions)}
    assert list(rank) == list(
        Standing.objects.filter(seats=0).order_by("rank").values_list("version", flat=True)
    )
    [cycle] = found.cycles
    at = cycle.index(versions[0].pk)
    assert cycle[at:] + cycle[:at] == tuple(version.pk for version in versions[:3])
    assert rank[cycle[0]] == min(rank[version] for version in cycle)
    one = found.encounters[versions[0].pk, versions[1].pk]
    assert (one.blocks, one.games, one.wins, one.losses) == (36, 72, 60, 12)
    assert matrix(ladder, top=2).cycles == ()


@with_database
def test_nemesis_and_prey_differ_significantly_from_elo():
    ladder, versions = a_ladder(), some_field(5)
    for block in some_season(ladder, versions, 30):
        absorb(block)
    publish(ladder, NOW)
    Meeting.objects.all().delete()
    Standing.objects.filter(seats=0).update(elo=1500)
    lay_down(
        ladder, versions, {(0, 1): (35, 40), (0, 2): (4, 40), (0, 3): (22, 40), (0, 4): (3, 4)}
    )
    found = opponents(ladder, versions[0].pk, 15)
    assert [one.opponent_id for one in found.prey] == [versions[1].pk]
    assert [one.opponent_id for one in found.nemeses] == [versions[2].pk]
    assert len(found.encounters) == 4
    assert found.encounters[-1].blocks == 4
    back = opponents(ladder, versions[2].pk, 15)
    assert [one.opponent_id for one in back.prey] == [versions[0].pk]
    # The score equals the prediction of Elo: nothing is reported.
    Standing.objects.filter(seats=0, version=versions[1]).update(elo=1500 - 340)
    assert opponents(ladder, versions[0].pk, 15).prey == ()


@with_database
def test_two_bots_head_to_head():
    ladder, versions = a_ladder(), some_field(4)
    absorb(some_recorded(ladder, versions[:2], Random(1)))
    publish(ladder, NOW)
    one, other = versions[0].pk, versions[1].pk
    found = head_to_head(ladder, one, other)
    assert found is not None
    assert found.low < found.likely < found.high
    elos = dict(Standing.objects.filter(seats=0).values_list("version", "elo"))
    assert found.expected == pytest.approx(score_of(elos[one] - elos[other]))
    assert head_to_head(ladder, one, versions[3].pk) is None
    with CaptureQueriesContext(connection) as captured:
        matrix(ladder)
        opponents(ladder, one, 15)
    assert len(captured) <= 5
