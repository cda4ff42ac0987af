"""Blocks count once, leave no trace when withdrawn, and cost the same whatever the history."""

from __future__ import annotations

from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, strategies as st

from damrak_ladder.matches.models import SeatResult
from damrak_ladder.standings.counts.tallies import MET, TALLIED, meetings_of, tallies_of
from damrak_ladder.standings.counts.updates import absorb, recorded_outcome, withdraw
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.models import Counted, Meeting, Progress, Running, Tally
from damrak_ladder.standings.packed_blocks import Came, outcome_of, pack, unpack
from damrak_ladder.standings.read.estimates import estimates
from damrak_statistics.block_scores import comparisons
from ladder.people import NOW
from ladder.seasons import a_ladder, some_field, some_recorded, some_season
from ladder.tables import some_block

with_database = pytest.mark.usefixtures("database")


@st.composite
def outcomes(draw, versions=6):
    seats = draw(st.integers(2, 4))
    players = draw(st.permutations(range(1, versions + 1)))[:seats]
    games = []
    for _ in range(draw(st.integers(1, 5))):
        turns = draw(st.permutations(range(seats)))
        points = draw(st.lists(st.integers(-300, 300), min_size=seats, max_size=seats))
        games.append(
            [
                Came(
                    player,
                    turns[at],
                    1 + sum(own > points[at] for own in points),
                    points[at],
                    draw(st.booleans()),
                )
                for at, player in enumerate(players)
            ]
        )
    return outcome_of(games)


@given(outcomes())
def test_packed_blocks_can_be_unpacked(outcome):
    assert unpack(*pack(outcome)) == outcome


@given(outcomes(), st.randoms())
def test_the_order_of_seats_does_not_matter(outcome, chance):
    columns = list(range(len(outcome.block.players)))
    chance.shuffle(columns)
    games = [
        [
            Came(
                outcome.block.players[at],
                game.turns[at],
                game.places[at],
                outcome.points[number][at],
                outcome.faults[number][at],
            )
            for at in columns
        ]
        for number, game in enumerate(outcome.block.games)
    ]
    assert outcome_of(games) == outcome


@given(st.lists(outcomes(), max_size=6))
def test_tallies_add_up(blocks):
    tallies, meetings = tallies_of(blocks), meetings_of(blocks)
    games = [(block, game) for block in blocks for game in block.block.games]
    seats = sum(len(block.block.players) for block, _ in games)
    assert sum(row["games"] for row in tallies.values()) == seats
    assert sum(row["halves"] for row in tallies.values()) == sum(
        sum(comparisons(game.places)) for _, game in games
    )
    for (one, other), row in meetings.items():
        back = meetings[other, one]
        assert row["games"] - row["ties"] == row["wins"] + back["wins"]
        assert row["ties"] == back["ties"]
        assert row["blocks"] == back["blocks"]
    for row in tallies.values():
        places = (row["first"], row["second"], row["third"], row["fourth"])
        assert sum(places) == row["games"]


def stored():
    """Return all tallies and meetings, without their keys."""
    keys = ("ladder_id", "version_id")
    return (
        sorted(Tally.objects.values_list(*keys, "seats", "turn", *TALLIED)),
        sorted(Meeting.objects.values_list(*keys, "opponent_id", *MET)),
    )


@with_database
def test_tallies_are_what_the_blocks_came_to():
    ladder, versions = a_ladder(), some_field(5)
    blocks = some_season(ladder, versions, 12)
    for block in blocks:
        assert absorb(block)
    found = [recorded_outcome(block.pk) for block in blocks]
    tallies, meetings = stored()
    assert tallies == sorted(
        (ladder.pk, *key, *(row[name] for name in TALLIED))
        for key, row in tallies_of(found).items()
    )
    assert meetings == sorted(
        (ladder.pk, *key, *(row[name] for name in MET)) for key, row in meetings_of(found).items()
    )


@with_database
def test_a_block_counts_once():
    ladder, versions = a_ladder(), some_field(3)
    [block] = some_season(ladder, versions, 1)
    assert absorb(block)
    before = stored(), list(Running.objects.values_list("version", "elo"))
    assert not absorb(block)
    assert (stored(), list(Running.objects.values_list("version", "elo"))) == before
    assert Progress.objects.get().blocks == Counted.objects.count() == 1


@with_database
def test_a_withdrawn_block_leaves_no_trace():
    ladder, versions = a_ladder(), some_field(6)
    blocks = some_season(ladder, versions, 14)
    for block in blocks[:7]:
        absorb(block)
    before = stored()
    for block in blocks[7:]:
        absorb(block)
    assert stored() != before
    # They may have been deleted.
    SeatResult.objects.filter(seat__match__block__in=blocks[7:]).delete()
    for block in blocks[7:]:
        assert withdraw(block)
    assert stored() == before
    assert not withdraw(blocks[7])
    assert Progress.objects.get().blocks == Counted.objects.count() == 7


@with_database
def test_withdrawing_everything_leaves_empty_tables():
    ladder, versions = a_ladder(), some_field(4)
    blocks = some_season(ladder, versions, 6)
    for block in blocks:
        absorb(block)
    for block in blocks:
        withdraw(block)
    assert stored() == ([], [])


@with_database
def test_a_withdrawn_block_that_is_played_again_counts_again():
    ladder, versions = a_ladder(), some_field(3)
    [block] = some_season(ladder, versions, 1)
    absorb(block)
    before = stored()
    withdraw(block)
    assert absorb(block)
    assert stored() == before


@with_database
def test_blocks_without_results_do_not_count():
    versions = some_field(2)
    block = some_block(tuple(versions))
    with pytest.raises(ValueError, match="belongs to no ladder"):
        absorb(block)
    block.ladder = a_ladder()
    block.save()
    with pytest.raises(ValueError, match="without games"):
        absorb(block)
    assert not Counted.objects.exists()


def queries_of(act):
    with CaptureQueriesContext(connection) as captured:
        act()
    return len(captured)


@with_database
def test_the_cost_of_a_block_does_not_grow():
    ladder, versions = a_ladder(), some_field(6)
    blocks = some_season(ladder, versions, 40)
    counts = [queries_of(lambda block=block: absorb(block)) for block in blocks]
    publish(ladder, NOW)
    again = some_season(ladder, versions, 3, seed=5)
    counts += [queries_of(lambda block=block: absorb(block)) for block in again]
    # A notable game costs a few more, and a version seen for the first time two; nothing else
    # depends on history.
    assert max(counts[-10:]) <= max(counts[6:16]) <= 20
    assert min(counts) <= 15
    tables = [queries_of(lambda: estimates(ladder, [one.pk for one in versions]))]
    for block in some_season(ladder, versions, 10, seed=6):
        absorb(block)
    tables.append(queries_of(lambda: estimates(ladder, [one.pk for one in versions])))
    assert tables[0] == tables[1] <= 8


@with_database
def test_estimates_follow_the_blocks():
    ladder, versions = a_ladder(), some_field(4)
    anchor, strong, weak, idle = versions
    chance = Random(3)
    for _ in range(12):
        absorb(some_recorded(ladder, [strong, anchor, weak], chance))
    some_block_under_way = some_block((anchor, strong))
    type(some_block_under_way).objects.filter(pk=some_block_under_way.pk).update(ladder=ladder)
    known = estimates(ladder, [one.pk for one in versions])
    assert known[anchor.pk].is_anchor
    assert (known[anchor.pk].elo, known[anchor.pk].error) == (1600.0, 0.0)
    assert known[strong.pk].elo > 1600 > known[weak.pk].elo
    assert known[strong.pk].error < known[idle.pk].error
    assert known[strong.pk].blocks == {3: 12, 2: 1}
    assert known[strong.pk].pending == 1
    assert known[weak.pk].pending == 0
    assert known[strong.pk].recent[-1] == anchor.pk
    assert len(known[strong.pk].recent) == 25
    assert known[idle.pk].blocks == {}


@with_database
def test_running_estimates_are_near_the_fit():
    ladder, versions = a_ladder(), some_field(5)
    for block in some_season(ladder, versions, 60):
        absorb(block)
    before = {row.version_id: (row.elo, row.error) for row in Running.objects.all()}
    publish(ladder, NOW)
    for row in Running.objects.all():
        elo, error = before[row.version_id]
        assert abs(row.elo - elo) < 2 * error + 1
