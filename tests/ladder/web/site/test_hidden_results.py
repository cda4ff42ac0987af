"""Visitors who hide results see none until they uncover it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from damrak_ladder.matches.models import Match
from ladder.people import somebody
from ladder.sites import fill_recently
from ladder.tournaments.cups import play, started
from ladder.visitors import visitor

pytestmark = pytest.mark.usefixtures("database")


def bare(text: str) -> str:
    """Return a page up to its first covered part, without results that are covered in lines."""
    text = text.partition('<details class="cover">')[0]
    return re.sub(r'<span class="cover__inside">.*?</span></label>', "", text, flags=re.S)


def test_results_are_covered_by_choice_and_can_be_uncovered() -> None:
    fill_recently(blocks=6, replays=2)
    match = Match.objects.exclude(replay="").order_by("-pk")[0]
    client = Client()
    paths = ["/en/", f"/en/blocks/{match.block_id}/", f"/en/matches/{match.pk}/"]
    for path in paths:
        page = client.get(path).content.decode()
        assert "Show the result" not in page
    answer = client.post("/en/results/", {"results": "hidden", "next": paths[1]})
    assert answer.headers["Location"] == paths[1]
    for path in paths[1:]:
        page = client.get(path).content.decode()
        assert '<html lang="en" data-results="hidden"' in page
        assert "Show the result" in page
        assert ">won<" in page or path == paths[2]
        assert ">won<" not in bare(page)
        assert '<table class="slim">' not in bare(page)
    client.post("/en/results/", {"results": "", "next": "/"})
    assert "Show the result" not in client.get(paths[1]).content.decode()


def test_lists_pages_of_bots_and_feeds_show_no_winner() -> None:
    fill_recently(blocks=6, replays=2)
    client = Client()
    assert "side--best" in client.get("/en/").content.decode()
    assert '<span class="wins number">' in client.get("/en/bots/canal-rat/").content.decode()
    client.post("/en/results/", {"results": "hidden"})
    for path in ("/en/", "/en/bots/canal-rat/", "/en/ladders/amsterdam/blocks/"):
        page = client.get(path).content.decode()
        assert "side--best" not in page
        assert re.search(r'<span class="wins number">(?!.*?cover)', page) is None
        assert "feed/?results=hidden" in page
    for path in ("/en/feed/", "/en/bots/canal-rat/feed/"):
        open_, hidden = (client.get(path + end).content.decode() for end in ("", "?results=hidden"))
        assert "Wins" in open_
        assert "Wins" not in hidden
        assert open_.count("<entry>") == hidden.count("<entry>")


def test_pages_of_tournaments_cover_points_and_places() -> None:
    tournament, _organiser = started(4, "single-elimination")
    play(tournament)
    slug = tournament.slug
    client = Client()
    paths = [f"/en/tournaments/{slug}/{end}" for end in ("", "standings/", "bracket/0/")]
    paths.append(f"/en/tournaments/{slug}/rounds/0/1/")
    assert all("Show the result" not in client.get(path).content.decode() for path in paths)
    client.post("/en/results/", {"results": "hidden"})
    for path in paths:
        page = client.get(path)
        assert page.status_code == 200, path
        main = page.content.decode().partition("<main")[2]
        assert "Show the result" in main
        assert "tournament-leaders" not in bare(main)
        assert "knockout__score" not in bare(main)
        assert '<div class="number">' not in bare(main)
    feed = f"/en/tournaments/{slug}/feed/"
    shown, hidden = (client.get(feed + end).content.decode() for end in ("", "?results=hidden"))
    assert shown.count("<entry>") == hidden.count("<entry>") > 0
    points = re.compile(r": \d+ . \d+&lt;/li")
    assert points.search(shown)
    assert not points.search(hidden)


def test_the_choice_of_a_user_is_kept_in_the_account() -> None:
    user = somebody()
    first, second = visitor(user), visitor(user)
    first.post("/en/results/", {"results": "hidden"})
    assert 'data-results="hidden"' in second.get("/en/").content.decode()
    assert 'data-results="hidden"' not in Client().get("/en/").content.decode()
    second.post("/en/results/", {"results": ""})
    user.refresh_from_db()
    assert not user.hides_results
    assert 'data-results="hidden"' not in second.get("/en/").content.decode()


def test_a_choice_leads_to_no_other_site() -> None:
    form = {"results": "hidden", "next": "https://example.org/"}
    assert Client().post("/en/results/", form).headers["Location"] == "/"
