"""Tables of today and of past days, page by page, and the lines of charts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from damrak_ladder.bots.models import Bot
from damrak_ladder.standings.counts.updates import absorb
from damrak_ladder.standings.fit.daily_order import write_days
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.models import Line, Order, Standing
from damrak_ladder.standings.read import rating_history
from damrak_ladder.standings.read.rating_history import history
from damrak_ladder.standings.read.table import BadCursor, table
from ladder.people import NOW
from ladder.seasons import a_ladder, some_field, some_season

pytestmark = pytest.mark.usefixtures("database")

DAY = timedelta(days=1)


def some_days(days=4, bots=6):
    """Publish a ladder once a day; return the tables at the end of each day."""
    ladder, versions = a_ladder(), some_field(bots)
    seen = []
    for day in range(days):
        # Some versions join later.
        for block in some_season(ladder, versions[: bots - 1 + day // 2], 6, seed=day):
            absorb(block)
        assert publish(ladder, NOW + day * DAY)
        seen.append(table(ladder))
    return ladder, versions, seen


def numbers(rows):
    return [(row.bot_slug, row.elo, row.low, row.high, row.band, row.first) for row in rows]


def test_the_list_is_by_rank() -> None:
    _ladder, versions, seen = some_days(2)
    rows = seen[-1]
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5]
    assert sorted(row.elo for row in rows) == [row.elo for row in reversed(rows)]
    assert all(row.low <= row.elo <= row.high for row in rows)
    assert all(row.rank_low <= row.rank <= row.rank_high for row in rows)
    assert sum(row.first for row in rows) == pytest.approx(1, abs=0.05)
    assert rows[0].owner == rows[0].bot_slug
    assert {row.version_id for row in rows} == {one.pk for one in versions[:5]}


def test_any_past_day_can_be_seen() -> None:
    ladder, _, seen = some_days()
    for day, rows in enumerate(seen):
        past = table(ladder, on=(NOW + day * DAY).date())
        assert numbers(past) == numbers(rows)
        assert [row.rank for row in past] == [row.rank for row in rows]
    assert table(ladder, on=(NOW - DAY).date()) == []
    assert numbers(table(ladder, on=(NOW + 99 * DAY).date())) == numbers(seen[-1])


def test_completed_days_are_stored() -> None:
    ladder, versions, _ = some_days()
    Bot.objects.filter(pk=versions[1].bot_id).update(live=None)
    publish(ladder, NOW + 4 * DAY)
    publish(ladder, NOW + 5 * DAY, force=True)
    days = [(NOW + day * DAY).date() for day in range(7)]
    before = [(table(ladder, on=day, everyone=True), table(ladder, 2, day)) for day in days]
    cache.clear()
    assert write_days(ladder, NOW + 5 * DAY) == Order.objects.count() > 0
    assert {order.fit.at.date() for order in Order.objects.all()} == set(days[2:5])
    assert write_days(ladder, NOW + 5 * DAY) == 0
    after = [(table(ladder, on=day, everyone=True), table(ladder, 2, day)) for day in days]
    assert after == before
    assert any(row.rank is None for row in after[4][0])
    with CaptureQueriesContext(connection) as captured:
        table(ladder, on=days[4], limit=3)
    assert len(captured) == 2


def test_tables_of_one_size_have_numbers_of_their_own() -> None:
    ladder, _, _ = some_days()
    whole, two = table(ladder), table(ladder, 2)
    assert {row.bot_slug for row in two} <= {row.bot_slug for row in whole}
    assert sum(row.games for row in two) < sum(row.games for row in whole)
    assert numbers(table(ladder, 2, on=(NOW + 3 * DAY).date())) == numbers(two)


@pytest.mark.parametrize("on", [None, (NOW + 9 * DAY).date()])
def test_pages_make_up_the_table(on) -> None:
    ladder, versions, _ = some_days()
    for version in versions[1:3]:
        Bot.objects.filter(pk=version.bot_id).update(live=None)
    publish(ladder, NOW + 5 * DAY)
    whole = table(ladder, on=on, everyone=True)
    assert len(whole) == 6
    assert [row.rank for row in whole] == [1, 2, 3, 4, None, None]
    for limit in (1, 2, 3, 5):
        rows = []
        while page := table(
            ladder, on=on, everyone=True, limit=limit, after=rows[-1].cursor if rows else ""
        ):
            assert len(page) <= limit
            rows += page
        assert numbers(rows) == numbers(whole)
    assert numbers(table(ladder, on=on)) == numbers(whole[:4])
    assert numbers(table(ladder, on=on, after=whole[3].cursor)) == []


def test_kinds_can_be_left_out() -> None:
    ladder, _, _ = some_days(1)
    assert table(ladder, kinds=["remote"]) == []
    assert len(table(ladder, kinds=["house", "remote"])) == 5


def test_invalid_cursor_is_refused() -> None:
    ladder = a_ladder()
    for cursor in ["x", "r", "r-1", "r1x", "e1", "e1.", "r" * 100, "r٣", "e9.9\n"]:
        with pytest.raises(BadCursor):
            table(ladder, after=cursor)


def test_changes_of_a_day_and_a_week() -> None:
    ladder, versions, seen = some_days(9, bots=5)
    before = {row.version_id: row.elo for row in seen[-2]}
    long_before = {row.version_id: row.elo for row in seen[1]}
    for row in seen[-1]:
        assert row.day == row.elo - before[row.version_id]
        assert row.week == (
            row.elo - long_before[row.version_id] if row.version_id in long_before else None
        )
    row = replace(seen[-1][0], low=900, high=1100)
    moved = [replace(row, week=week).has_moved for week in (None, 0, 100, -100, 101, -101)]
    assert moved == [False, False, False, False, True, True]
    assert all(row.day is None for row in seen[0])
    assert versions[4].pk not in long_before
    for day, rows in enumerate(seen):
        past = table(ladder, on=(NOW + day * DAY).date())
        assert [(row.day, row.week) for row in past] == [(row.day, row.week) for row in rows]


@pytest.mark.parametrize("few", [0, rating_history.FEW])
def test_curves_show_published_values(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_history, "FEW", few)
    ladder, versions, seen = some_days(6, bots=5)
    chosen = [versions[1].pk, versions[4].pk]
    found = history(ladder, chosen)
    assert list(found) == chosen
    for version in chosen:
        elos = [row.elo for rows in seen for row in rows if row.version_id == version]
        points = [point.elo for point in found[version]]
        assert points[-1] == elos[-1]
        assert set(points) == set(elos)
    assert all(point.at >= NOW + 2 * DAY for point in found[versions[4].pk])
    recent = history(ladder, chosen, since=NOW + 4 * DAY)
    assert len(recent[chosen[0]]) <= 2 < len(found[chosen[0]])
    assert recent[chosen[0]][-1] == found[chosen[0]][-1]
    assert history(a_ladder("empty"), chosen) == {version: [] for version in chosen}


@pytest.mark.parametrize("few", [0, rating_history.FEW])
def test_curves_are_bounded(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_history, "FEW", few)
    ladder, versions, _ = some_days(1)
    version = versions[1]
    row = Standing.objects.get(version=version, seats=0)
    fit = ladder.fits.get()
    for number in range(2, 400):
        fit.pk, fit.number, fit.at = None, number, NOW + number * timedelta(minutes=1)
        fit.save()
    Line.objects.bulk_create(
        Line(
            ladder=ladder,
            version=version,
            seats=0,
            fit=number,
            at=NOW + number * timedelta(minutes=1),
            elo=number,
            low=number,
            high=number,
            blocks=row.blocks,
            games=row.games,
        )
        for number in range(2, 400)
    )
    with CaptureQueriesContext(connection) as captured:
        points = history(ladder, [version.pk], points=50)[version.pk]
    assert len(captured) <= 4
    assert len(points) == 50
    assert points[-1].elo == 399
    assert [point.at for point in points] == sorted(point.at for point in points)
    assert [point.elo for point in points][1:] == [1 + 398 * step // 49 for step in range(1, 50)]


def test_a_table_takes_the_same_queries_however_long_it_is() -> None:
    ladder, _, _ = some_days(3)
    for rest in ({}, {"on": NOW.date()}, {"everyone": True}, {"limit": 2}):
        with CaptureQueriesContext(connection) as captured:
            table(ladder, **rest)
        assert len(captured) <= 3
