"""Mails and pages of users who hide results state none, and lead to them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend as MemoryMailer
from django.utils import timezone

from damrak_ladder.accounts.models import User
from damrak_ladder.follows.models import Subject
from damrak_ladder.follows.news import tell_followers
from damrak_ladder.follows.registry import follow
from damrak_ladder.highlights.models import Story, StoryKind
from damrak_ladder.message_codes.story_codes import WinStreak
from damrak_ladder.notices.delivery import deliver
from damrak_ladder.notices.kinds import Channel, Kind
from damrak_ladder.notices.models import Notice
from damrak_ladder.notices.rules import set_rule
from damrak_ladder.standings.models import Notable, NotableKind
from ladder.people import NOW, somebody
from ladder.sites import fill_recently
from ladder.tournaments.cups import act, play, started
from ladder.visitors import page, visitor

pytestmark = pytest.mark.usefixtures("database")


def mails() -> dict[str, str]:
    """Send all mails; return subjects and bodies, without the footers, by user."""
    mail.outbox = []
    # They are due at some time between that of this machine and that of a made-up tournament.
    deliver(max(timezone.now(), NOW) + timedelta(days=365), mailer=MemoryMailer())
    sent: dict[str, str] = {}
    for one in mail.outbox:
        name, text = one.to[0].partition("@")[0], str(one.body).partition("-- \n")[0]
        sent[name] = sent.get(name, "") + f"{one.subject}\n{text}\n"
    return sent


def hide(*names: str) -> None:
    """Let these users hide results."""
    assert User.objects.filter(username__in=names).update(hides_results=True) == len(names)


def two_fans() -> tuple[User, User]:
    """Return a user who sees results and one who hides them. Both want mails of news."""
    fans = somebody("seeing"), somebody("hiding")
    for fan in fans:
        set_rule(fan, Kind.FOLLOWED, Channel.MAIL, True)
    hide("hiding")
    return fans


@pytest.mark.parametrize("kind", ["upset", "streak"])
def test_news_of_a_game_name_no_winner(kind: str) -> None:
    now = fill_recently(blocks=6)
    soon = now + timedelta(minutes=1)
    notable = Notable.objects.select_related("version__bot", "ladder").earliest("pk")
    bot = notable.version.bot
    for fan in two_fans():
        assert follow(fan, Subject.BOT, bot.slug, now)
    if kind == "upset":
        Notable.objects.filter(pk=notable.pk).update(kind=NotableKind.UPSET, value=0.07, at=soon)
    else:
        Story.objects.create(
            ladder=notable.ladder,
            kind=StoryKind.STREAK,
            match=notable.match,
            version=notable.version,
            told=WinStreak(bot.name, notable.ladder.name, 20),
            worth=4.2,
            day=soon.date(),
            at=soon,
        )
    assert tell_followers(soon) == 2
    sent = mails()
    told = f"{bot.name} won against the odds" if kind == "upset" else "20 games in a row"
    assert told in sent["seeing"]
    assert sent["hiding"].startswith("[Damrak] A game of a bot that you follow\n")
    assert not re.search(rf"{re.escape(bot.name)}|\bwon\b|in a row", sent["hiding"])
    for name in ("seeing", "hiding"):
        assert f"/matches/{notable.match_id}/?at=0\n" in sent[name]
    for path in ("/following/", "/desk/notices/"):
        shown = page(visitor("hiding"), path).partition("<main")[2]
        assert f'/matches/{notable.match_id}/?at=0">A game of a bot that you follow</a>' in shown
        covered = re.compile(
            r'<details class="cover">.*?</details>|<label class="cover">.*?</label>', re.S
        )
        assert told in shown
        assert told not in covered.sub("", shown)
        seen = page(visitor("seeing"), path).partition("<main")[2]
        assert told in covered.sub("", seen)


def test_news_of_a_final_name_no_finalists() -> None:
    cup, _olga = started(4, "single-elimination")
    for fan in two_fans():
        assert follow(fan, Subject.TOURNAMENT, cup.slug, NOW)
    now = play(cup, rounds=1)
    assert tell_followers(now) == 2
    sent = mails()
    assert "Cup-1 · Cup-2" in sent["seeing"]
    assert "Cup-1" not in sent["hiding"]
    for text in (sent["seeing"], sent["hiding"]):
        assert text.startswith("[Damrak] Cup: the final is being played\n")
        assert "/tournaments/cup/\n" in text


def test_owners_get_results_of_tournaments_as_links() -> None:
    cup, olga = started(2)
    hide("cup-2")
    play(cup)
    act(cup, olga, "finalise")
    results = Notice.objects.filter(kind=Kind.TOURNAMENT_RESULT)
    assert results.count() == 2
    sent = mails()
    assert re.search(r"round 1: Cup-1 has \d", sent["cup-1"])
    assert "points" in sent["cup-1"]
    assert not re.search(r" has \d|points", sent["cup-2"])
    assert "A result of your bot in a tournament\n" in sent["cup-2"]
    assert "/tournaments/cup/rounds/0/1/\n" in sent["cup-2"]


def test_owners_who_hide_results_do_not_read_who_goes_on() -> None:
    stages = [
        {"format": "swiss", "rounds": 1, "advance": 2},
        {"name": "Final", "format": "single-elimination", "sources": [{"stage": 0}]},
    ]
    cup, _olga = started(4, stages=stages)
    hide("cup-2")
    play(cup)
    sent = mails()
    assert "Cup: Cup-1 goes on" in sent["cup-1"]
    assert "goes on" not in sent["cup-2"]
    assert "takes part in the stage" not in sent["cup-2"]
    assert "News of your bot in a tournament" in sent["cup-2"]


def test_the_choice_at_the_time_of_the_mail_counts() -> None:
    cup, _olga = started(2)
    play(cup)
    hide("cup-1")
    sent = mails()
    assert "points" not in sent["cup-1"]
    assert "points" in sent["cup-2"]
