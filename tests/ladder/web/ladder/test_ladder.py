"""A ladder's table: filters, sorting, pages, and charts of chosen bots."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone

from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.entries import enter, leave, seat_house
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.counts.updates import absorb
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.read.table import ORDERS, BadCursor, table, table_by
from damrak_ladder.web.ladder import views as view
from ladder.bot_versions import some_bot, some_version
from ladder.ladders import some_ladder
from ladder.seasons import some_field, some_season
from ladder.sites import LONGEST, fill_recently
from ladder.visitors import page, queries_of, visitor

PATH = "/ladders/amsterdam/"


@pytest.mark.usefixtures("database")
def test_tables_are_narrowed_sorted_and_paged(monkeypatch: pytest.MonkeyPatch):
    now = fill_recently(blocks=24)
    ladder = Ladder.objects.get(slug="amsterdam")
    everyone = table(ladder)
    for name in ORDERS:
        _check_pages(ladder, name, [row.version_id for row in everyone])
    with pytest.raises(BadCursor):
        table_by(ladder, "games", after="k1_x", limit=2)

    client = visitor()
    ada = _bots(page(client, f"{PATH}?owner=ADA"))
    assert set(ada) == {row.bot_slug for row in everyone if row.owner == "ada"}
    assert "tulip" in _bots(page(client, f"{PATH}?kind=remote&language=Python&owner=bo"))
    assert _bots(page(client, f"{PATH}?owner=bo&on={now.date()}")) == _bots(
        page(client, f"{PATH}?owner=bo")
    )
    assert "Clear them to see all bots" in page(client, f"{PATH}?language=cobol")

    monkeypatch.setattr(view, "SIZE", 3)
    for sort in ("games", "trend", "first", "width", "faults"):
        text, seen = page(client, f"{PATH}?sort={sort}"), []
        for _page in range(20):
            seen += _bots(text)
            more = re.search(r'class="pages"><a href="(\?[^"]*after=[^"]*)"', text)
            if more is None:
                break
            text = page(client, PATH + more[1].replace("&amp;", "&"))
        assert sorted(seen) == sorted(row.bot_slug for row in everyone), sort
    assert "Only the top 500 by rank are sorted" in page(client, f"{PATH}?sort=trend")
    assert "by rank are sorted" not in page(client, f"{PATH}?sort=games")
    for nonsense in ("sort=games&after=p3", "sort=trend&after=px", "top=4", "sort=first&after=r1"):
        page(client, f"{PATH}?{nonsense}", status=404)


@pytest.mark.usefixtures("database")
def test_charts_show_the_first_or_the_chosen_bots():
    fill_recently(blocks=24)
    client = visitor()
    assert _lines(page(client, PATH)) == view.TOP
    assert _lines(page(client, f"{PATH}?top=3")) == 3
    chosen = page(client, f"{PATH}?bots={LONGEST}&bots=gable&bots=nobody&bots={LONGEST}")
    assert _lines(chosen) == 2
    assert chosen.count(" checked") == 2
    assert f"bots={LONGEST}&amp;bots=gable" in chosen  # other filters keep the selection
    assert _lines(page(client, f"{PATH}?seats=2&bots=gable")) == 1
    assert queries_of(client, f"{PATH}?bots=gable") == queries_of(
        client, f"{PATH}?bots=gable&bots={LONGEST}&bots=herring"
    )


@pytest.mark.usefixtures("database")
def test_a_knockout_fits_the_number_of_bots():
    ladder = some_ladder("practice", shares={"3": 1})
    client, path = visitor(), f"/ladders/{ladder.slug}/knockout/"
    assert "A knockout needs at least two rated bots" in page(client, path)
    fill_recently(blocks=24)
    text = page(client, "/ladders/amsterdam/knockout/")
    ranked = [row.bot_slug for row in table(Ladder.objects.get(slug="amsterdam"), 2)]
    assert 8 <= len(ranked) < 16  # so a bracket of 16 is not offered, and falls back to 8
    assert re.findall(r'href="\?size=(\d+)"', text) == ["4", "8"]
    assert (
        page(client, "/ladders/amsterdam/knockout/?size=16").count('<li><div class="bracket') == 8
    )
    four = page(client, "/ladders/amsterdam/knockout/?size=4")
    assert _bots(four) == ranked[:4]
    drawn = re.findall(r'bracket__seed">(\d)</span> <a class="bot" href="/en/bots/([a-z-]+)/', four)
    assert drawn[:4] == [(str(at), ranked[int(at) - 1]) for at in (1, 4, 2, 3)]
    assert "two-player tables" in four
    for nonsense in ("size=5", "size=x", "size=-8"):
        page(client, f"/ladders/amsterdam/knockout/?{nonsense}", status=404)


@pytest.mark.usefixtures("database")
def test_pages_explain_intervals_without_anchors():
    said = "intervals are relative to the mean of the field"
    ladder, versions = some_ladder("free", shares={"2": 1.0}), some_field(4)
    for block in some_season(ladder, versions, 20):
        absorb(block)
    publish(ladder, timezone.now())
    client, bot = visitor(), versions[1].bot.slug
    assert said in page(client, "/ladders/free/")
    assert said in page(client, f"/bots/{bot}/")
    ladder.anchors = {"planner": 1500.0}
    ladder.save()
    assert said not in page(client, "/ladders/free/")
    assert said not in page(client, f"/bots/{bot}/")


@pytest.mark.usefixtures("database")
def test_a_ladder_of_anchors_waits_for_another_bot():
    now, said = timezone.now(), "games begin when another bot enters"
    ladder = some_ladder(
        "new", house=["random", "planner"], anchors={"planner": 1500.0, "random": 140.0}
    )
    seat_house(ladder, now)
    client = visitor()
    assert said in page(client, "/ladders/new/")
    bot = some_bot("ferry")
    version = some_version(bot, "ferry", Kind.UPLOADED)
    enter(ladder, bot, now)
    assert said in page(client, "/ladders/new/")  # it has no live version yet
    promote(bot.pk, None, version.pk, now)
    assert said not in page(client, "/ladders/new/")
    leave(ladder, bot, now)
    assert said in page(client, "/ladders/new/")
    Ladder.objects.update(is_open=False)
    assert said not in page(client, "/ladders/new/")


def _check_pages(ladder: Ladder, order: str, versions: list[int]) -> None:
    whole, end = table_by(ladder, order, limit=100)
    assert end == ""
    assert sorted(row.version_id for row in whole) == sorted(versions)
    paged, after = [], ""
    for _page in range(20):
        rows, after = table_by(ladder, order, after=after, limit=2)
        paged += rows
        if not after:
            break
    assert paged == whole


def _bots(text: str) -> list[str]:
    return re.findall(r'row" class="name"><a (?:class="bot" )?href="/en/bots/([a-z-]+)/', text)


def _lines(text: str) -> int:
    return text.count('class="line" points')
