"""The comparison of two bots: the selection, the content, and the cost."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot
from damrak_ladder.matches.models import Ladder, Match, MatchTimings
from damrak_ladder.matches.timings import Timings, pack
from damrak_ladder.standings.counts.encounters import head_to_head
from damrak_ladder.web.compare.comparison import compare, version_named
from ladder.sites import fill_recently, play
from ladder.visitors import page, queries_of, visitor

PAIR = "/compare/?a=gable&b=canal-rat:1"


@pytest.mark.usefixtures("database")
def test_one_is_asked_for_names_and_helped_to_find_them():
    client = visitor()
    assert "Compare two bots" in page(client, "/compare/")
    assert "There is no bot “nobody”" in page(client, "/compare/?a=nobody&b=x:99999999999")
    for strange in ("%00", ":", "a:%F0%9F%9A%9E", "x" * 3000, "a:-1"):
        page(client, f"/compare/?a={strange}&b={strange}")
    fill_recently(blocks=3)
    found = page(client, "/compare/?a=canal&b=gable")
    assert "?a=canal-rat&amp;b=gable" in found
    assert "Both are the same version" in page(client, "/compare/?a=gable&b=gable:1")
    assert "no ladder on which both" in page(client, "/compare/?a=gable&b=canal-rat:3")
    offered = page(client, "/compare/?a=gable&b=canal-rat:2")
    assert '<option value="canal-rat:1">v1 (live)</option>' in offered
    assert '<option value="canal-rat:2" selected>v2</option>' in offered
    assert '<option value="gable">gable</option>' in offered
    chosen = page(client, "/compare/?a=gable&b=canal-rat&b_version=canal-rat:2")
    assert '<option value="canal-rat:2" selected>' in chosen
    other = page(client, "/compare/?a=gable&b=barge&b_version=canal-rat:2")
    assert '<option value="canal-rat:2"' not in other
    named = [version_named(text) for text in ("canal-rat", "Canal-Rat:2", "barge", "x")]
    assert [one and one.number for one in named] == [1, 2, 1, None]  # barge has no live version
    Bot.objects.filter(slug="gable").update(name="planner")  # as of a house bot
    assert version_named("Planner:1") == version_named("gable")
    assert Bot.objects.get(slug="barge").live is None


@pytest.mark.usefixtures("database")
def test_pages_of_bots_and_pairs_show_results_at_a_constant_cost():
    now = fill_recently(blocks=30)
    client = visitor()
    assert "No data yet" in page(client, "/bots/gable/1/")
    _time_all_games()
    paths = [PAIR, f"{PAIR}&ladder=new-boards", "/bots/gable/", "/bots/canal-rat/1/"]
    for path in paths:
        page(client, path)  # the first visit requests the background computation
    before = {path: queries_of(client, path) for path in paths}
    assert max(before.values()) <= 32
    _check_pair(now)
    _check_test_is_offered()
    ticked = page(client, "/compare/?bots=gable&bots=canal-rat&bots=barge&ladder=amsterdam&kind=")
    assert "gable v1 vs. canal-rat v1" in ticked
    for path in ("/bots/gable/", "/bots/gable/1/"):
        text = page(client, path)
        assert "Results by number of players and turn" in text
        assert "Results by board" in text
        assert "7.0 ms" in text
    slugs = Bot.objects.values_list("slug", flat=True)
    assert "out of time ×" in "".join(page(client, f"/bots/{slug}/") for slug in slugs)  # noqa: RUF001
    play(now, 12)
    assert {path: queries_of(client, path) for path in paths} == before


def _time_all_games() -> None:
    data = pack(Timings((0, 1, 2, 3), (9000,) * 4, (7000,) * 4, (1000,) * 4))
    MatchTimings.objects.all().delete()
    matches = Match.objects.exclude(replay="")
    MatchTimings.objects.bulk_create(MatchTimings(match=match, data=data) for match in matches)


def _check_pair(now: datetime) -> None:
    ladder = Ladder.objects.get(slug="amsterdam")
    one, other = version_named("gable"), version_named("canal-rat")
    assert one is not None
    assert other is not None
    shown, mirrored = compare(ladder, one, other, now), compare(ladder, other, one, now)
    assert shown.met == head_to_head(ladder, one.pk, other.pk)
    if shown.met is not None and mirrored.met is not None:
        assert shown.met.wins == mirrored.met.losses
        assert shown.met.low == pytest.approx(1 - mirrored.met.high)
    keys = [row.opponent.pk for row in shown.common]
    assert keys
    assert not {one.pk, other.pk} & set(keys)
    assert {row.opponent.pk: row.difference for row in mirrored.common} == pytest.approx(
        {row.opponent.pk: -row.difference for row in shown.common}
    )
    whole, standing = shown.first.results.whole, shown.first.standing
    assert standing is not None
    assert whole.games == standing.games == sum(row.games for row in shown.first.results.turns)
    text = page(visitor(), f"{PAIR}&ladder=amsterdam")
    assert f"<strong>{standing.elo}</strong>" in text


def _check_test_is_offered() -> None:
    assert "Test them" not in page(visitor(), PAIR)
    assert "Test them" not in page(visitor("dov"), PAIR)
    client = visitor(User.objects.get(bots__slug="gable"))
    link = re.search(r'href="(/en/desk/tests/[^"]+)"', page(client, PAIR))
    assert link is not None
    form = client.get(link[1].replace("&amp;", "&")).content.decode()
    assert 'value="canal-rat"' in form
    assert re.search(r'<option value="\d+" selected>gable v1', form)
