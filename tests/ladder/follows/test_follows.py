"""Following: buttons and lists, and news that arrive once."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Bot
from damrak_ladder.follows.models import Follow, Subject
from damrak_ladder.follows.news import tell_followers
from damrak_ladder.follows.registry import follow, followed_by
from damrak_ladder.highlights.models import Story, StoryKind
from damrak_ladder.matches.models import Ladder
from damrak_ladder.message_codes.story_codes import WinStreak
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.notices.models import Delivery, Notice
from damrak_ladder.standings.models import Notable, NotableKind, Standing
from damrak_ladder.tournaments.models import Tournament
from ladder.people import NOW, somebody
from ladder.sites import fill_recently
from ladder.tournaments.cups import act, cup, play, started
from ladder.visitors import page, visitor

pytestmark = pytest.mark.usefixtures("database")


def news_of(user: User) -> list[str]:
    return list(Notice.objects.filter(user=user).order_by("pk").values_list("subject", flat=True))


def test_news_of_a_bot_and_a_ladder_arrive_once_and_only_after_following():
    now = fill_recently(blocks=6)
    fan, late = somebody("fan"), somebody("late")
    bot = Bot.objects.get(slug="canal-rat")
    ladder = Ladder.objects.get(slug="amsterdam")
    assert follow(fan, Subject.BOT, "canal-rat", now)
    assert follow(fan, Subject.AUTHOR, bot.owner.username, now)
    assert follow(late, Subject.LADDER, "amsterdam", now + timedelta(hours=2))
    other = bot.versions.exclude(pk=bot.live_id).earliest("pk")
    promote(bot.pk, bot.live_id, other.pk, now + timedelta(minutes=1))
    row = Standing.objects.filter(ladder=ladder, seats=0, rank__isnull=False).earliest("rank")
    ranked = row.version.bot
    assert follow(fan, Subject.BOT, ranked.slug, now)
    Notice.objects.create(
        user=bot.owner,
        kind=Kind.RANK_CHANGE,
        key=f"rank:{ladder.pk}:{row.version_id}:1",
        subject="x",
        text="x",
        link="/",
        is_on_site=True,
        created=now + timedelta(minutes=1),
    )
    upset = Notable.objects.filter(ladder=ladder).first()
    assert upset is not None
    Notable.objects.filter(pk=upset.pk).update(
        kind=NotableKind.UPSET, value=0.07, version=row.version_id, at=now + timedelta(minutes=1)
    )
    soon_after = now + timedelta(minutes=1)
    Story.objects.create(
        ladder=ladder,
        kind=StoryKind.STREAK,
        match=upset.match,
        version=row.version,
        told=WinStreak(ranked.name, ladder.name, 20),
        worth=4.2,
        day=soon_after.date(),
        at=soon_after,
    )
    soon = now + timedelta(minutes=2)
    assert tell_followers(soon) == 4
    assert tell_followers(soon) == 0
    assert news_of(fan) == [
        f"canal-rat: version {other.number} is live",
        f"{ranked.name} is at rank {row.rank} on Amsterdam",
        f"{ranked.name} won against the odds on Amsterdam",
        f"{ranked.name} has won 20 games in a row",
    ]
    assert "has won 20 games in a row" in page(visitor(fan), "/following/")
    games = Notice.objects.filter(user=fan, link__contains="/matches/")
    assert [game.link.endswith("?at=0") for game in games] == [True, True]
    assert not Delivery.objects.filter(user=fan).exists()  # no mail unless it is asked for
    assert not news_of(late)
    Follow.objects.filter(user=fan).delete()
    assert tell_followers(soon) == 0


def test_tournaments_are_news_when_they_begin_and_end():
    fan = somebody("fan")
    now = timezone.now()
    going, olga = started(4, "single-elimination")
    opened, otto = cup(2, slug="open-cup")
    assert follow(fan, Subject.TOURNAMENT, going.slug, now)
    assert follow(fan, Subject.TOURNAMENT, opened.slug, now)
    assert tell_followers(now) == 0
    play(going)
    act(going, olga, "finalise")
    for kind in ("close", "start"):
        act(opened, otto, kind)
    assert tell_followers(now) == 2
    assert tell_followers(now) == 0
    Tournament.objects.filter(pk=opened.pk).update(visibility="private")
    assert [one.name for one in followed_by(fan)] == [going.slug]
    assert not follow(fan, Subject.TOURNAMENT, opened.slug, now)


def test_a_final_is_news_once_when_its_entrants_are_public():
    fan = somebody("fan")
    cup_, olga = started(4, "single-elimination", reveal="hidden")
    daily, organiser_ = started(
        4, "single-elimination", slug="daily", schedule={"daily": "20:00", "zone": "Europe/Oslo"}
    )
    for one in (cup_, daily):
        assert follow(fan, Subject.TOURNAMENT, one.slug, NOW)
    now = play(cup_)
    assert tell_followers(now) == 1  # the result of the other one is hidden, and so is its final
    assert news_of(fan) == ["Daily: the final begins on 2 January 2030, 20:00 (CET)"]
    assert tell_followers(now) == 0
    act(cup_, olga, "release", {"round": 1, "level": "public"})
    assert tell_followers(now) == 1
    assert news_of(fan)[1:] == ["Cup: the final is being played"]
    assert "cup-1 · cup-2" in Notice.objects.filter(user=fan).latest("pk").text.lower()
    act(cup_, olga, "release", {"round": 2, "level": "public"})
    act(cup_, olga, "finalise")
    act(cup_, olga, "reopen")
    assert tell_followers(now) == 0
    act(cup_, olga, "finalise")
    assert tell_followers(now) == 1
    later = play(daily, now=datetime(2030, 1, 2, 20, tzinfo=UTC))
    act(daily, organiser_, "finalise")
    assert tell_followers(later) == 1
    assert tell_followers(later) == 0
    assert news_of(fan)[2:] == ["Cup: the result is final", "Daily: the result is final"]


def test_the_private_feed_has_the_news_until_its_address_is_replaced():
    fan, other = somebody("fan"), somebody("other")
    for user, subject, key in (
        (fan, "rat won against the odds", "followed-upset:7"),
        (fan, "rat: version 2 is live", "followed-live:1"),
        (other, "of somebody else", "followed-live:2"),
    ):
        Notice.objects.create(
            user=user,
            kind=Kind.FOLLOWED,
            key=key,
            subject=subject,
            text=subject,
            link="/matches/7/",
            is_on_site=False,
            created=NOW,
        )
    client = visitor(fan)
    assert feed_address(client) == ""
    client.post("/en/following/address/", {"do": "renew"})
    first = feed_address(client)
    answer = visitor().get(first)
    assert answer.headers["Cache-Control"] == "private, max-age=300"
    feed = answer.content.decode()
    assert "rat won against the odds" in feed
    assert "rat: version 2 is live" in feed
    assert "somebody else" not in feed
    for hidden in (f"{first}?results=hidden", first):
        told = visitor().get(hidden).content.decode()
        assert "against the odds" not in told
        assert "A game of a bot that you follow" in told
        assert "rat: version 2 is live" in told
        User.objects.filter(pk=fan.pk).update(hides_results=True)
    client.post("/en/following/address/", {"do": "renew"})
    second = feed_address(client)
    assert second != first
    assert visitor().get(first).status_code == 404
    assert visitor().get(second).status_code == 200
    for wrong in ("x", "1-", "9" * 30 + "-x", second.rstrip("/").rpartition("/")[2][:-1]):
        assert visitor().get(f"/en/following/feed/{wrong}/").status_code == 404
    client.post("/en/following/address/", {"do": "end"})
    assert feed_address(client) == ""
    assert visitor().get(second).status_code == 404


def feed_address(client: Client) -> str:
    """Return the path of the private feed that the page shows."""
    shown = page(client, "/following/")
    found = re.search(r'value="http://[^/]+(/en/following/feed/[^"]+)"', shown)
    return found[1] if found else ""


def test_the_button_follows_and_stops():
    fill_recently(blocks=2)
    somebody("fan")
    fan = visitor("fan")
    assert "/accounts/login/?next=" in page(visitor(), "/bots/canal-rat/")
    for path, subject, name in (
        ("/bots/canal-rat/", "bot", "canal-rat"),
        ("/ladders/amsterdam/", "ladder", "amsterdam"),
        ("/owners/ada/", "author", "ada"),
    ):
        asked = {"subject": subject, "name": name, "next": f"/en{path}"}
        assert 'aria-pressed="false"' in page(fan, path)
        assert fan.post("/en/follow/", asked).headers["Location"] == f"/en{path}"
        assert 'aria-pressed="true"' in page(fan, path)
    assert page(fan, "/following/").count('value="stop"') == 3
    fan.post("/en/follow/", {"subject": "bot", "name": "canal-rat", "do": "stop"})
    assert page(fan, "/following/").count('value="stop"') == 2
    for subject, name in (("bot", "no\0bot"), ("bot", "nothing"), ("moon", "x")):
        assert fan.post("/en/follow/", {"subject": subject, "name": name}).status_code == 302
    assert Follow.objects.count() == 2


def test_search_finds_places_and_pairs():
    fill_recently(blocks=2)
    client = visitor()
    found = client.get("/en/search/?q=tulip+vs+gable")
    assert found.headers["Location"] == "/en/compare/?a=tulip&b=gable"
    assert "Vlasbrug" in page(client, "/search/?q=vlas")
    assert "/ladders/amsterdam/" in page(client, "/search/?q=practice").split("<main")[1]
    assert "No results" in page(client, "/search/?q=tulip+vs+nothing")
    Bot.objects.filter(slug="gable").update(name="Mcts, 20 iterations")  # as of a house bot
    for asked in ("tulip+vs+mcts,+20+iterations", "TUL+vs+mcts"):
        found = client.get(f"/en/search/?q={asked}")
        assert found["Location"] == "/en/compare/?a=tulip&b=gable"
