"""Canaries, expectations and notices about ranks."""

from __future__ import annotations

import itertools
import math
from datetime import timedelta
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, strategies as st

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.models import Purpose
from damrak_ladder.notices.models import Notice
from damrak_ladder.standings.counts.updates import absorb
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.fit.rank_changes import tell_changes
from damrak_ladder.standings.models import Counted, Fit, Running, Standing, Tally
from damrak_ladder.standings.read.expectation import chances, expectations, expected
from damrak_ladder.standings.read.shadow_games import canary_estimate
from ladder.bot_versions import some_version
from ladder.people import NOW
from ladder.seasons import a_ladder, some_field, some_recorded, some_season

with_database = pytest.mark.usefixtures("database")


def published_ladder(bots=4, blocks=30, kind=Kind.HOUSE):
    ladder, versions = a_ladder(), some_field(bots, kind)
    for block in some_season(ladder, versions, blocks):
        absorb(block)
    publish(ladder, NOW)
    return ladder, versions


@with_database
def test_a_canary_is_judged_by_its_shadow_games_alone():
    ladder, versions = published_ladder()
    canary = some_version(versions[1].bot, spec="next")
    assert canary_estimate(canary, ladder) is None
    chance = Random(5)
    strong = [
        some_recorded(ladder, [canary, one, other], chance, purpose=Purpose.CANARY, subject=canary)
        for one, other in itertools.permutations([versions[0], *versions[2:]], 2)
    ]
    # Blocks of another canary and of the ladder are ignored.
    rival = some_version(versions[2].bot, spec="other")
    some_recorded(ladder, [versions[0], rival], chance, purpose=Purpose.CANARY, subject=rival)
    before = list(Standing.objects.values()), list(Tally.objects.values())
    found = canary_estimate(canary, ladder)
    assert found is not None
    assert (found.blocks, found.games) == (len(strong), 3 * len(strong))
    elos = dict(Running.objects.values_list("version", "elo"))
    assert found.low < found.elo < found.high
    assert found.elo > max(elos[version.pk] for version in versions[2:])
    assert before == (list(Standing.objects.values()), list(Tally.objects.values()))
    assert not Counted.objects.filter(block__in=strong).exists()


@given(st.lists(st.floats(-4, 4), min_size=2, max_size=4))
def test_probabilities_are_those_of_the_model(strengths):
    found = chances(strengths)
    assert sum(mean for mean, _ in found) == pytest.approx(len(strengths) / 2)
    for at, (mean, variance) in enumerate(found):
        against = [
            1 / (1 + math.exp(other - strengths[at]))
            for rival, other in enumerate(strengths)
            if rival != at
        ]
        assert mean == pytest.approx(sum(against) / len(against))
        assert 0 <= variance <= mean * (1 - mean) + 1e-9


@with_database
def test_expectations_of_blocks():
    ladder, versions = published_ladder()
    keys = list(Counted.objects.values_list("pk", flat=True))
    with CaptureQueriesContext(connection) as captured:
        found = expectations(keys)
    assert len(captured) == 3
    assert found.keys() == set(keys)
    squares = []
    for rows in found.values():
        assert sum(row.score for row in rows) == pytest.approx(len(rows) / 2)
        assert sum(row.expected for row in rows) == pytest.approx(len(rows) / 2)
        squares += [row.residual**2 for row in rows]
    assert 0.4 < sum(squares) / len(squares) < 1.5
    # A version with results opposite to the ranks is noticeable.
    chance = Random(2)
    turned = [some_recorded(ladder, list(reversed(versions)), chance) for _ in range(8)]
    for block in turned:
        absorb(block)
    publish(ladder, NOW + timedelta(hours=1))
    odd = [row.residual**2 for block in turned for row in expected(block)]
    assert sum(odd) / len(odd) > 1.3 * sum(squares) / len(squares)

    # If blocks vary more than independent games, the expected variance is larger.
    def variances(effect: float) -> list[float]:
        Fit.objects.update(effects={str(seats): effect for seats in (2, 3, 4)})
        return [row.variance for row in expected(turned[0])]

    for known, usual, strayed in zip(*map(variances, (0.0, 1.0, 2.0)), strict=True):
        assert known < usual
        assert strayed - usual == pytest.approx(usual - known)


@with_database
def test_blocks_that_do_not_count_have_no_expectation():
    ladder, versions = published_ladder(blocks=3)
    assert expected(some_recorded(ladder, versions, Random(1))) == ()


def place(versions, ranks):
    """Set the standings: rank, best, worst."""
    for version, (rank, low, high) in zip(versions, ranks, strict=True):
        Standing.objects.filter(version=version, seats=0).update(
            rank=rank, rank_low=low, rank_high=high, first=0.9 if rank == 1 else 0.0
        )


@with_database
def test_owners_are_notified_of_certain_rank_changes():
    ladder, versions = published_ladder(kind=Kind.REMOTE)

    def told(*ranks):
        before = set(Notice.objects.values_list("pk", flat=True))
        place(versions[1:], ranks)
        tell_changes(ladder, told.fit, NOW)
        told.fit += 1
        news = Notice.objects.exclude(pk__in=before).order_by("pk")
        return [(notice.user.username, notice.subject) for notice in news]

    told.fit = 10
    assert told((2, 1, 4), (3, 2, 4), (4, 3, 4)) == []  # the initial state
    assert told((2, 2, 3), (3, 2, 3), (4, 4, 4)) == []  # narrower, but no change
    assert told((3, 2, 4), (2, 2, 3), (4, 3, 4)) == []  # may be chance
    assert told((4, 4, 4), (3, 2, 3), (2, 2, 3)) == [
        ("bot-1", "Bot-1 fell to rank 4 on Practice"),
        ("bot-3", "Bot-3 rose to rank 2 on Practice"),
    ]
    assert told((4, 4, 4), (3, 2, 3), (2, 2, 3)) == []
    assert told((4, 4, 4), (3, 2, 3), (1, 1, 3)) == [("bot-3", "Bot-3 rose to rank 1 on Practice")]
    assert told((4, 4, 4), (1, 1, 3), (2, 1, 3)) == [("bot-2", "Bot-2 rose to rank 1 on Practice")]
    assert told((4, 4, 4), (2, 1, 3), (1, 1, 3)) == []  # a change back and forth is one notice


@with_database
def test_house_bots_cause_no_notices():
    ladder, versions = published_ladder()
    place(versions, [(4, 4, 4), (3, 3, 3), (2, 2, 2), (1, 1, 1)])
    tell_changes(ladder, 7, NOW)
    place(versions, [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4)])
    tell_changes(ladder, 8, NOW)
    assert not Notice.objects.exists()
