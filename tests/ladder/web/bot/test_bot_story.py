"""Bot pages: the style in a sentence, best games, and no flat charts."""

from __future__ import annotations

import pytest

from damrak_ladder.analyses.models import VersionSources
from damrak_ladder.bots.models import Bot
from damrak_ladder.highlights.collection import collect
from damrak_ladder.highlights.models import Story, StoryKind
from damrak_ladder.matches.models import Ladder
from damrak_ladder.message_codes.story_codes import OnePoint
from damrak_ladder.profiles.style import Figures, sentence_of, traits_of
from damrak_ladder.standings.models import Standing
from ladder.sites import fill_recently
from ladder.visitors import page, visitor


def test_traits_are_differences_from_the_field():
    field = Figures(100, routes=30, goods=10, fulfilled=2, failed=2)
    assert traits_of(field, field) == []
    assert "plays much like" in sentence_of("x", field, field)
    own = Figures(20, routes=20, goods=15, fulfilled=3.5, failed=0.1)
    assert sentence_of("x", own, field) == (
        "Compared with the best bots of the ladder, x collects more goods, scores less with its"
        " routes and rarely fails contracts."
    )
    early, late = (
        Figures(20, 30, 10, 2, 2, goods_at=goods, claims_at=claims)
        for goods, claims in ((0.3, 0.6), (0.5, 0.45))
    )
    assert traits_of(early, late) == ["collects goods early", "claims its routes late"]
    assert traits_of(late, early) == ["collects goods late", "claims its routes early"]
    assert traits_of(early, field) == []  # no goods card was ever taken
    nothing = Figures(20, routes=0, goods=0, fulfilled=0, failed=0)
    assert traits_of(nothing, nothing) == []


@pytest.mark.usefixtures("database")
def test_the_page_of_a_bot_tells_its_style_and_best_games():
    now = fill_recently(blocks=9)
    client = visitor()
    assert "Style of play" not in page(client, "/bots/canal-rat/")
    bot = Bot.objects.get(slug="canal-rat")
    ranked = Standing.objects.filter(seats=0, rank__isnull=False).exclude(version=bot.live_id)
    rows = dict.fromkeys([*ranked.values_list("version", flat=True)], 10)
    VersionSources.objects.all().delete()  # the page has asked for some
    for version in (*rows, bot.live_id):
        goods = 300 if version == bot.live_id else 100
        VersionSources.objects.create(version_id=version, games=20, routes=600, goods=goods)
    collect()
    ladder = Ladder.objects.get(slug="amsterdam")
    match = bot.live.seats.filter(match__block__state="recorded").first().match
    Story.objects.create(
        ladder=ladder,
        kind=StoryKind.ONE_POINT,
        match=match,
        version_id=bot.live_id,
        told=OnePoint("canal-rat", "Amsterdam"),
        worth=99,
        day=now.date(),
        at=now,
    )
    shown = page(client, "/bots/canal-rat/")
    assert "canal-rat collects more goods." in shown
    assert "canal-rat won by a single point on Amsterdam." in shown
    assert "by version, with 95 % intervals" in shown


@pytest.mark.usefixtures("database")
def test_anchors_have_no_flat_chart():
    fill_recently(blocks=12)
    assert "by version, with 95 % intervals" not in page(visitor(), "/bots/house-greedy/")
