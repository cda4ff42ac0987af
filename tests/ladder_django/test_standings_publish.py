"""What is published is the fit of all blocks, whatever happened on the way."""

from __future__ import annotations

from datetime import timedelta

import pytest

from damrak_ladder.ratings import History, Scale, rate
from damrak_ladder.ratings.history import Block as Played
from damrak_ladder.standings.absorbing import absorb, recorded_outcome
from damrak_ladder.standings.models import (
    Standing,
)
from damrak_ladder.standings.publishing import publish
from ladder_django.people import NOW
from ladder_django.seasons import some_field, some_ladder, some_season

pytestmark = pytest.mark.usefixtures("database")

LATER = NOW + timedelta(minutes=2)


def published(ladder):
    """All numbers that people see, by table size and version."""
    return {
        (row.seats, row.version.bot.slug): (
            *(row.elo, row.low, row.high, row.rank, row.rank_low, row.rank_high),
            *(row.band, row.first, row.blocks, row.games),
        )
        for row in Standing.objects.filter(ladder=ladder).select_related("version__bot")
    }


def a_ladder():
    return some_ladder(anchors={"planner": 1600.0})


def test_published_numbers_are_those_of_the_fit() -> None:
    ladder, versions = a_ladder(), some_field(5)
    blocks = some_season(ladder, versions, 30)
    for block in blocks:
        assert absorb(block)
    fit = publish(ladder, NOW)
    assert fit is not None
    number = {version.pk: at for at, version in enumerate(versions)}
    history = History.of(
        Played(tuple(number[one] for one in played.players), played.games)
        for played in (recorded_outcome(block.pk).block for block in blocks)
    )
    ratings = rate(history, 5, Scale({0: 1600.0}))
    for version in versions:
        row = Standing.objects.get(ladder=ladder, version=version, seats=0)
        at = number[version.pk]
        assert (row.elo, row.low, row.high) == (
            round(ratings.elo[at]),
            round(ratings.low[at]),
            round(ratings.high[at]),
        )
        assert (row.blocks, row.games) == (ratings.blocks[at], ratings.games[at])
    assert (fit.number, fit.blocks, fit.versions) == (1, 30, 5)
    assert fit.games == sum(len(table.block) for table in history.tables.values())
    assert set(Standing.objects.values_list("seats", flat=True)) == {0, 2, 3, 4}
    ranks = Standing.objects.filter(seats=0).order_by("rank").values_list("elo", flat=True)
    assert sorted(ranks, reverse=True) == list(ranks)
    assert Standing.objects.get(version=versions[0], seats=0).elo == 1600
