"""Public pages: with empty tables, with full ones, and at a constant cost."""

from __future__ import annotations

from datetime import timedelta

import pytest

from damrak_ladder.bots.models import Bot
from damrak_ladder.matches.models import Block, Match, SeatResult
from damrak_ladder.standings.models import Standing
from ladder.bot_versions import some_bot
from ladder.ladders import some_ladder
from ladder.sites import fill_recently, play
from ladder.tables import some_block
from ladder.visitors import page, queries_of, visitor

ALWAYS = [
    "/",
    "/ladders/",
    "/queue/",
    "/hosts/",
    "/runtime/",
    "/search/",
    "/search/?q=x",
    "/search/?q=%23999",
]
FULL = [
    "/",
    "/ladders/",
    "/ladders/amsterdam/",
    "/ladders/new-boards/?seats=3",
    "/ladders/amsterdam/?sort=games&kind=remote",
    "/ladders/amsterdam/blocks/",
    "/ladders/amsterdam/matrix/",
    "/ladders/amsterdam/knockout/",
    "/bots/canal-rat/",
    "/bots/canal-rat/1/",
    "/bots/canal-rat/3/",
    "/owners/ada/",
    "/owners/house/",
    "/queue/",
    "/hosts/",
    "/runtime/",
    "/search/?q=canal",
]


@pytest.mark.usefixtures("database")
def test_with_empty_tables_pages_teach_what_will_be_there():
    client = visitor()
    for path in ALWAYS:
        page(client, path)
    assert "damrak-ladder ladders" in page(client, "/")
    assert "damrak-ladder worker" in page(client, "/hosts/")
    assert "No results for" in page(client, "/search/?q=x")


@pytest.mark.usefixtures("database")
def test_empty_pages_lead_on():
    bot, ladder = some_bot("new"), some_ladder()
    paths = [
        "/tournaments/",
        "/leagues/",
        "/puzzles/",
        "/puzzles/all/",
        "/highlights/",
        "/records/",
    ]
    paths += ["/predictions/", "/search/?q=x", f"/bots/{bot.slug}/"]
    paths += [f"/ladders/{ladder.slug}/{end}/" for end in ("matrix", "knockout")]
    for path in paths:
        empty = page(visitor(), path).partition('<div class="empty')[2]
        assert 'class="button' in empty.partition("</div>")[0], path


@pytest.mark.usefixtures("database")
def test_a_bot_and_a_block_without_anything_have_pages():
    some_bot("lonely")
    waiting = some_block()
    client = visitor()
    assert "has not submitted a version" in page(client, "/bots/lonely/")
    assert "This block has not started" in page(client, f"/blocks/{waiting.pk}/")
    match = waiting.matches.get(number=0)
    assert "has not been recorded yet" in page(client, f"/matches/{match.pk}/")


@pytest.mark.usefixtures("database")
def test_full_pages_show_what_is_so_at_a_cost_that_does_not_grow():
    now = fill_recently(blocks=21)
    client = visitor()
    matches = [f"/matches/{Match.objects.exclude(replay='').earliest('pk').pk}/"]
    matches.append(f"/blocks/{Block.objects.earliest('pk').pk}/")
    for path in [*FULL, *matches]:
        page(client, path)  # the first visit requests the background computation
    before = {path: queries_of(client, path) for path in [*FULL, *matches]}
    play(now, 12)
    after = {path: queries_of(client, path) for path in [*FULL, *matches]}
    assert after == before
    assert max(after.values()) <= 32

    table = page(client, "/ladders/amsterdam/")
    leader = Standing.objects.get(ladder__slug="amsterdam", seats=0, rank=1)
    assert f">{leader.elo}<" in table
    assert f"{leader.low} – {leader.high}" in table  # noqa: RUF001
    assert "no version is live" in page(client, "/bots/barge/")
    failed = page(client, "/bots/canal-rat/3/")
    assert "It crashed (game 1, match 1, seat 1)." in failed
    assert "None: it has not played yet" in failed  # this is not to be presented as a success
    assert "never crashed" in page(client, "/bots/gable/1/")
    assert "offline" in page(client, "/hosts/")

    assert "Live now" in page(client, "/")
    assert "Head to head on Amsterdam" in page(client, "/bots/gable/1/?ladder=amsterdam")
    assert "Head to head on New boards" in page(client, "/bots/gable/1/?ladder=new-boards")
    assert "Head to head on Amsterdam" in page(client, "/bots/gable/?ladder=amsterdam")
    assert f"<strong>{leader.elo}</strong>" in page(client, f"/owners/{leader.version.bot.owner}/")
    assert "against the bot in the column" in page(client, "/ladders/amsterdam/matrix/")

    tied = Block.objects.earliest("pk").matches.get(number=0)
    assert "shared victory" not in page(client, f"/blocks/{tied.block_id}/")
    SeatResult.objects.filter(seat__match=tied).update(place=1)
    assert page(client, f"/blocks/{tied.block_id}/").count("shared victory") == tied.seats.count()

    yesterday = f"/ladders/amsterdam/?on={(now - timedelta(days=1)).date()}"
    assert "Ranking at the end of" in page(client, yesterday)
    assert "No bot had a rating on that day" in page(client, "/ladders/amsterdam/?on=2001-01-01")
    only_remote = page(client, "/ladders/amsterdam/?kind=remote")
    assert "/en/bots/tulip/" in only_remote
    assert 'row" class="name"><a href="/en/bots/gable/' not in only_remote


@pytest.mark.usefixtures("database")
def test_lists_go_on_where_the_page_before_ended():
    fill_recently(blocks=24)
    client = visitor()
    first = page(client, "/ladders/amsterdam/blocks/")
    assert "?before=" not in first  # 16 blocks fit on one page
    newest = Block.objects.filter(ladder__slug="amsterdam", finished__isnull=False).latest("pk")
    assert f"/en/blocks/{newest.pk}/" in first
    second = page(client, f"/ladders/amsterdam/blocks/?before={newest.pk}")
    assert f"/en/blocks/{newest.pk}/" not in second


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    "path",
    [
        "/ladders/none/",
        "/bots/none/",
        "/bots/none/1/",
        "/owners/none/",
        "/owners/%00/",
        "/matches/99999999999999999999999999/",
        "/matches/99999999999999999999999999/seats/0/log/",
        "/matches/1/",
        "/blocks/1/",
        "/nothing/",
    ],
)
def test_missing_object_is_reported_with_a_cure(path):
    assert "Search for the bot" in page(visitor(), path, status=404)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    "query", ["seats=5", "seats=x", "on=yesterday", "kind=evil", "sort=name", "after=nonsense"]
)
def test_invalid_query_of_a_table_is_404(query):
    fill_recently(blocks=3)
    page(visitor(), f"/ladders/amsterdam/?{query}", status=404)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("before", ["x", "-1", "9" * 30, "½"])
def test_invalid_query_of_a_list_is_404(before):
    some_bot("lonely")
    page(visitor(), f"/bots/lonely/?before={before}", status=404)


@pytest.mark.usefixtures("database")
def test_search_finds_bots_owners_and_numbers_and_takes_anything():
    fill_recently(blocks=3)
    client = visitor()
    assert "/en/bots/canal-rat/" in page(client, "/search/?q=Canal")
    assert "/en/owners/cleo/" in page(client, "/search/?q=cle")
    number = Match.objects.earliest("pk").pk
    assert f"/en/matches/{number}/" in page(client, f"/search/?q=%23{number}")
    there = client.get("/en/search/?q=Canal-Rat&go=1")
    assert there.headers["Location"] == "/en/bots/canal-rat/"
    assert "/en/bots/canal-rat/" in page(client, "/search/?q=Canal&go=1")
    for strange in ("%00", "%27%3B--", "%25", "a" * 3000, "%F0%9F%9A%9E"):
        page(client, f"/search/?q={strange}")


@pytest.mark.usefixtures("database")
def test_names_and_notes_of_strangers_are_shown_as_text():
    bot = some_bot("plain")
    Bot.objects.filter(pk=bot.pk).update(name="<script>alert(1)</script>")
    assert "<script>alert" not in page(visitor(), "/bots/plain/")
    assert "<script>x" not in page(visitor(), "/search/?q=<script>x")
