"""The published numbers are the fit of all blocks, whatever happened on the way."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest
from django.db import transaction

from damrak_ladder.bots.models import Bot
from damrak_ladder.matches.models import Entry
from damrak_ladder.ratings import History, Scale, rate
from damrak_ladder.ratings.history import Block as Played
from damrak_ladder.standings.counts.updates import absorb, recorded_outcome, withdraw
from damrak_ladder.standings.fit.knockout import DRAWS
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.models import (
    Contenders,
    Counted,
    Fit,
    Line,
    Meeting,
    Progress,
    Running,
    Standing,
    Tally,
)
from damrak_ladder.standings.read.table import table
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.seasons import a_ladder, some_field, some_recorded, some_season

pytestmark = pytest.mark.usefixtures("database")

LATER = NOW + timedelta(minutes=2)


def published(ladder):
    """Return all published numbers, by table size and version."""
    return {
        (row.seats, row.version.bot.slug): (
            *(row.elo, row.low, row.high, row.rank, row.rank_low, row.rank_high),
            *(row.band, row.first, row.blocks, row.games),
        )
        for row in Standing.objects.filter(ladder=ladder).select_related("version__bot")
    }


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


def season(ladder, versions, blocks=24, seed=1):
    """Record and count a season."""
    played = some_season(ladder, versions, blocks, seed)
    for block in played:
        absorb(block)
    return played


def ledger_ends():
    """Return the latest line of each version and size."""
    return {
        (line.seats, line.version.bot.slug): (line.elo, line.low, line.high, line.band, line.first)
        for line in Line.objects.order_by("fit").select_related("version__bot")
    }


FOUND: dict[str, object] = {}


def test_both_databases_publish_the_same() -> None:
    ladder, versions = a_ladder(), some_field(6)
    season(ladder, versions)
    publish(ladder, NOW)
    assert FOUND.setdefault("same", published(ladder)) == published(ladder)


def test_the_order_of_arrival_does_not_matter() -> None:
    ladder, versions = a_ladder(), some_field(6)
    blocks = season(ladder, versions)
    fit = publish(ladder, NOW)
    before = published(ladder)
    for model in (Line, Fit, Standing, Running, Tally, Meeting, Counted, Progress):
        model.objects.all().delete()
    Random(3).shuffle(blocks)
    for number, block in enumerate(blocks):
        absorb(block)
        if number in (3, 11):
            publish(ladder, NOW, force=True)
    again = publish(ladder, LATER)
    assert fit is not None
    assert again is not None
    assert again.number == 3
    assert again.digest == fit.digest
    assert published(ladder) == before


def test_a_withdrawn_block_is_gone_from_the_next_fit() -> None:
    ladder, versions = a_ladder(), some_field(5)
    season(ladder, versions)
    fit = publish(ladder, NOW)
    before = published(ladder)
    extra = some_recorded(ladder, versions[:4], Random(9))
    absorb(extra)
    assert publish(ladder, NOW + timedelta(minutes=2))
    assert published(ladder) != before
    withdraw(extra)
    again = publish(ladder, NOW + timedelta(minutes=4))
    assert published(ladder) == before
    assert fit is not None
    assert again is not None
    assert again.digest == fit.digest


def test_version_without_blocks_has_no_numbers() -> None:
    ladder, versions = a_ladder(), some_field(5)
    season(ladder, versions[:4])
    newcomer = some_recorded(ladder, [versions[4], versions[1]], Random(1))
    absorb(newcomer)
    publish(ladder, NOW)
    assert (0, "bot-4") in published(ladder)
    withdraw(newcomer)
    publish(ladder, LATER)
    assert all(row.version != versions[4] for row in Standing.objects.filter(blocks__gt=0))
    assert "bot-4" not in {row.bot_slug for row in table(ladder, everyone=True)}
    last = Line.objects.filter(version=versions[4], seats=0).order_by("fit").last()
    assert last is not None
    assert last.blocks == 0
    assert not Running.objects.filter(version=versions[4]).exists()


def test_all_blocks_may_be_withdrawn() -> None:
    ladder, versions = a_ladder(), some_field(4)
    blocks = season(ladder, versions, 5)
    publish(ladder, NOW)
    for block in blocks:
        withdraw(block)
    fit = publish(ladder, LATER)
    assert fit is not None
    assert (fit.blocks, fit.versions) == (0, 0)
    assert table(ladder) == []


def test_nothing_new_publishes_nothing() -> None:
    ladder, versions = a_ladder(), some_field(4)
    assert publish(ladder, NOW) is None
    assert publish(ladder, NOW, force=True) is None
    season(ladder, versions, 20)
    assert publish(ladder, NOW) is not None
    assert publish(ladder, NOW + timedelta(days=1)) is None
    forced = publish(ladder, NOW + timedelta(days=1), force=True)
    assert forced is not None
    assert forced.lines == 0


WHEN = [(1, 30, False), (1, 61, True), (3, 3, False), (3, 6, True), (0, 61, False), (1, -5, True)]


def test_news_is_published_soon_enough() -> None:
    ladder, versions = a_ladder(), some_field(4)
    season(ladder, versions, 20)
    publish(ladder, NOW)
    Fit.objects.update(seconds=0.2)
    news = some_season(ladder, versions, 3, seed=2)
    for blocks, seconds, is_due in WHEN:
        with transaction.atomic():
            for block in news[:blocks]:
                absorb(block)
            fit = publish(ladder, NOW + timedelta(seconds=seconds))
            assert (fit is not None) == is_due, (blocks, seconds)
            transaction.set_rollback(True)


def test_costly_fits_are_made_less_often() -> None:
    ladder, versions = a_ladder(), some_field(4)
    season(ladder, versions, 5)
    publish(ladder, NOW)
    Fit.objects.update(seconds=12.0)
    season(ladder, versions, 5, seed=2)
    assert publish(ladder, NOW + timedelta(seconds=119)) is None
    assert publish(ladder, NOW + timedelta(seconds=121)) is not None


def test_only_live_versions_are_on_the_list() -> None:
    ladder, versions = a_ladder(), some_field(5)
    season(ladder, versions)
    publish(ladder, NOW)
    leaver, old = versions[1], versions[2]
    Entry.objects.create(ladder=ladder, bot=leaver.bot, entered=NOW, left=NOW)
    Bot.objects.filter(pk=old.bot_id).update(live=None)
    before = published(ladder)
    assert publish(ladder, NOW + timedelta(seconds=30)) is None
    assert publish(ladder, LATER) is not None
    after = published(ladder)
    assert {slug for seats, slug in after if after[seats, slug][3] is None} == {"bot-1", "bot-2"}
    assert all(after[key][:3] == before[key][:3] for key in before)  # Elo is unchanged
    ranks = [after[0, f"bot-{number}"][3] for number in (0, 3, 4)]
    assert sorted(ranks) == [1, 2, 3]


def test_other_anchors_are_a_reason_to_publish() -> None:
    ladder, versions = a_ladder(), some_field(4)
    season(ladder, versions)
    publish(ladder, NOW)
    before = published(ladder)
    ladder.anchors = {"planner": 1700.0}
    ladder.save()
    assert publish(ladder, LATER) is not None
    after = published(ladder)
    assert all(abs(after[key][0] - before[key][0] - 100) <= 1 for key in before)


def test_draws_of_the_leaders_are_published_for_forecasts() -> None:
    ladder, versions = a_ladder(), some_field(5)
    season(ladder, versions)
    publish(ladder, NOW)
    ranks = Standing.objects.filter(ladder=ladder, rank__isnull=False).order_by("rank")
    for row in Contenders.objects.filter(ladder=ladder):
        ranked = ranks.filter(seats=row.seats).values_list("version", flat=True)
        assert row.versions == list(ranked)
        assert len(bytes(row.strengths)) == 2 * DRAWS * len(row.versions)
    assert Contenders.objects.filter(ladder=ladder).count() == 4


def test_ratings_of_an_earlier_release_are_published_again() -> None:
    ladder, versions = a_ladder(), some_field(4)
    season(ladder, versions)
    publish(ladder, NOW)
    assert publish(ladder, LATER) is None
    Contenders.objects.all().delete()
    assert publish(ladder, LATER) is not None
    assert Contenders.objects.exists()


def test_the_ledger_ends_with_what_is_published_and_forgets_nothing() -> None:
    ladder, versions = a_ladder(), some_field(5)
    lines: list[dict[str, object]] = []
    for number in range(5):
        season(ladder, versions, 6, seed=number)
        fit = publish(ladder, NOW + number * timedelta(minutes=2))
        now = list(Line.objects.order_by("pk").values())
        assert now[: len(lines)] == lines
        assert fit is not None
        assert fit.lines == len(now) - len(lines) > 0
        lines = now
        said = published(ladder)
        assert ledger_ends() == {
            key: (*values[:3], values[6], values[7]) for key, values in said.items()
        }


def test_a_ladder_without_anchors_has_its_middle_at_1500() -> None:
    ladder, versions = some_ladder("free", shares={"2": 1.0}), some_field(5)
    for block in some_season(ladder, versions, 30):
        absorb(block)
    fit = publish(ladder, NOW)
    assert fit is not None
    assert (fit.anchors, fit.middle) == ({}, 1500.0)


def test_ladders_do_not_touch_each_other() -> None:
    versions = some_field(5)
    one, other = a_ladder("one"), a_ladder("other")
    season(one, versions)
    publish(one, NOW)
    before = published(one)
    season(other, versions, seed=4)
    publish(other, NOW)
    assert published(one) == before
    assert publish(one, LATER) is None


@pytest.mark.parametrize("seed", range(2))
def test_numbers_always_follow_from_the_blocks_that_count(seed: int) -> None:
    ladder, versions = a_ladder(), some_field(5)
    blocks = some_season(ladder, versions, 14, seed)
    chance = Random(seed)
    for step in range(40):
        block = chance.choice(blocks)
        (absorb if chance.random() < 0.6 else withdraw)(block)
        if chance.random() < 0.1:
            publish(ladder, NOW + timedelta(minutes=step), force=True)
    publish(ladder, NOW + timedelta(days=1), force=True)
    after = published_and_tallied(ladder)
    counted = list(Counted.objects.values_list("block", flat=True))
    for model in (Line, Fit, Standing, Running, Tally, Meeting, Counted, Progress):
        model.objects.all().delete()
    for block in blocks:
        if block.pk in counted:
            absorb(block)
    publish(ladder, NOW)
    assert published_and_tallied(ladder) == after


def published_and_tallied(ladder):
    return (
        {key: numbers for key, numbers in published(ladder).items() if numbers[8]},
        sorted(Tally.objects.values_list("version", "seats", "turn", "games", "points")),
        sorted(
            Meeting.objects.values_list("version", "opponent", "blocks", "wins", "most_squared")
        ),
        sorted(Running.objects.values_list("version", flat=True)),
    )
