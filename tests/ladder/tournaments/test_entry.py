"""Which bots may enter a tournament."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress

from damrak_ladder.bots.models import Bot, Kind, State, Version
from damrak_ladder.bots.submission import Submission, register
from damrak_ladder.matches.entries import enter as enter_ladder
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.standings.models import Running, Tally
from damrak_ladder.tournaments.creation import rotate_invitation
from damrak_ladder.tournaments.entrants import enter
from damrak_ladder.tournaments.errors import NotEntered
from damrak_ladder.tournaments.models import Tournament
from ladder.bot_versions import some_bot
from ladder.flow import some_host, tokens_of
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.tournaments.cups import cup, entered_bot

pytestmark = pytest.mark.usefixtures("database")


def entered(tournament: Tournament, version: Version, invitation: str = "") -> str:
    """Enter the bot of a version for its owner; return why that is refused, or nothing."""
    tournament.refresh_from_db()
    try:
        enter(tournament, version.bot, version.bot.owner, NOW, invitation)
    except NotEntered as problem:
        return str(problem)
    return ""


def uploaded(slug: str, language: str) -> Version:
    """Return a qualified live version in this language."""
    bot = some_bot(slug)
    version = register(bot, Submission(Kind.UPLOADED, spec=slug, language=language), NOW)
    Version.objects.filter(pk=version.pk).update(state=State.QUALIFIED)
    Bot.objects.filter(pk=bot.pk).update(live=version)
    return Version.objects.get(pk=version.pk)


def test_only_verified_addresses_of_the_domain_count() -> None:
    tournament, _ = cup(0, entry={"domain": "uni.example"})
    for number, (address, verified) in enumerate(
        (
            ("a@uni.example", False),
            ("a@evil-uni.example", True),
            ("a@cs.uni.example", True),
            ("uni.example@example.org", True),
        )
    ):
        version = entered_bot(f"stranger-{number}")
        user = version.bot.owner
        EmailAddress.objects.create(user=user, email=address, verified=verified, primary=False)
        assert "uni.example" in entered(tournament, version), address
    student = entered_bot("student")
    user = student.bot.owner
    EmailAddress.objects.create(user=user, email="S@Uni.Example", verified=True, primary=False)
    assert entered(tournament, student) == ""


def test_rating_has_to_be_within_the_range() -> None:
    ladder = some_ladder()
    tournament, _ = cup(0, entry={"low": 1400, "high": 1600, "ladder": "practice"})
    for elo, expected in ((1399, "1399"), (1400, ""), (1600, ""), (1601, "1601")):
        version = entered_bot(f"bot-{elo}")
        Running.objects.create(ladder=ladder, version=version, elo=elo, error=20)
        Tally.objects.create(ladder=ladder, version=version, seats=2, turn=0, blocks=3, games=6)
        problem = entered(tournament, version)
        assert expected in problem
        assert bool(problem) is bool(expected)


def test_bot_without_a_played_block_has_no_rating() -> None:
    ladder = some_ladder()
    tournament, _ = cup(0, entry={"low": -9000, "ladder": "practice", "kinds": ["uploaded"]})
    versions = [uploaded(slug, "python") for slug in ("tulip", "herring")]
    for version in versions:
        assert "no rating" in entered(tournament, version)
        enter_ladder(ladder, version.bot, NOW)
    some_host()
    assert schedule(NOW, tokens_of(3))  # their first block is booked
    for version in versions:
        assert "no rating" in entered(tournament, version)


def test_kinds_languages_and_bots_of_an_author_are_limited() -> None:
    entry = {"kinds": ["uploaded"], "languages": ["Rust"], "per_owner": 1}
    tournament, _ = cup(0, entry=entry)
    for slug, kind in (("house", Kind.HOUSE), ("remote", Kind.REMOTE)):
        assert "uploaded" in entered(tournament, entered_bot(slug, kind))
    assert "Rust" in entered(tournament, uploaded("snake", "python"))
    first, second = uploaded("crab", "rust"), uploaded("lobster", "Rust")
    assert entered(tournament, first) == ""
    Bot.objects.filter(pk=second.bot_id).update(owner=first.bot.owner)
    assert "one author may enter: 1" in entered(tournament, Version.objects.get(pk=second.pk))


def test_newer_invitation_voids_the_earlier_one() -> None:
    tournament, _ = cup(0, entry={"invited": True})
    version = entered_bot("guest")
    first = rotate_invitation(tournament)
    second = rotate_invitation(tournament)
    for token in ("", first):
        assert entered(tournament, version, token)
    assert entered(tournament, version, second) == ""
