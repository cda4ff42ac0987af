"""Feeds, and the instructions for search engines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.core.cache import caches
from django.test import override_settings
from django.utils import timezone

from damrak_ladder.bots.lifecycle import advance, promote
from damrak_ladder.bots.models import Bot, Kind, State
from damrak_ladder.bots.submission import Submission, register
from damrak_ladder.matches.models import Ladder
from ladder.sites import fill, fill_recently, play
from ladder.visitors import page, queries_of, visitor

ATOM = "{http://www.w3.org/2005/Atom}"
LOCAL = "django.core.cache.backends.locmem.LocMemCache"
FEEDS = [
    "/feed/",
    "/ladders/amsterdam/feed/",
    "/ladders/amsterdam/blocks/feed/",
    "/bots/canal-rat/feed/",
]


def entries(path: str, language: str = "en") -> list[ElementTree.Element]:
    response = visitor().get(f"/{language}{path}")
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("application/atom+xml")
    return ElementTree.fromstring(response.content).findall(f"{ATOM}entry")


def titles(path: str, language: str = "en") -> list[str]:
    return [str(entry.findtext(f"{ATOM}title")) for entry in entries(path, language)]


@pytest.fixture(autouse=True)
def cache() -> Iterator[None]:
    with override_settings(CACHES={"default": {"BACKEND": LOCAL}}):
        caches["default"].clear()
        yield


@pytest.mark.usefixtures("database")
def test_feeds_tell_the_news_at_a_cost_that_does_not_grow():
    now = fill_recently(blocks=12)
    client = visitor()
    for path in FEEDS:
        found = entries(path)
        assert 0 < len(found) <= 30
        times = [entry.findtext(f"{ATOM}updated") for entry in found]
        assert times == sorted(times, reverse=True)
        keys = {entry.findtext(f"{ATOM}id") for entry in found}
        assert len(keys) == len(found)
        assert keys == {entry.findtext(f"{ATOM}id") for entry in entries(path, "pl")}
        for entry in found:
            link = entry.find(f"{ATOM}link")
            assert link is not None
            assert client.get(link.get("href")).status_code == 200
    assert "canal-rat v1 is live" in titles("/ladders/amsterdam/feed/")
    assert any("at the end of" in title for title in titles("/ladders/amsterdam/feed/"))

    Bot.objects.filter(slug="house-greedy").update(name="mcts, 50 iterations")
    Ladder.objects.update(summary="Two players on the board Amsterdam: the classic.")
    caches["default"].clear()
    for language, said in (("en", "mcts, 50 iterations v1"), ("pl", "mcts, 50 iteracji v1")):
        text = "".join(
            entry.findtext(f"{ATOM}summary") or "" for entry in entries(FEEDS[1], language)
        )
        assert said in text
    told = client.get("/fi/ladders/amsterdam/feed/").content.decode()
    assert "Kaksi pelaajaa laudalla Amsterdam" in told

    before = [queries_of(client, path) for path in FEEDS]
    play(now, 9)
    assert [queries_of(client, path) for path in FEEDS] == before


@pytest.mark.usefixtures("database")
def test_feeds_survive_notes_that_xml_cannot_hold():
    now = fill_recently(blocks=0)
    herring = Bot.objects.get(slug="herring")
    note = "bell \x07 and <script>alert(1)</script>"
    version = register(herring, Submission(Kind.REMOTE, spec="two", note=note), now)
    advance(version.pk, State.CHECKING, State.QUALIFYING, now)
    advance(version.pk, State.QUALIFYING, State.QUALIFIED, now)
    promote(herring.pk, herring.live_id, version.pk, now)
    newest = entries("/ladders/amsterdam/feed/")[0]
    assert newest.findtext(f"{ATOM}title") == "herring v2 is live"
    assert "bell  and &lt;script&gt;" in str(newest.findtext(f"{ATOM}summary"))


@pytest.mark.usefixtures("database")
def test_pages_name_their_feeds_and_search_engines_find_the_pages():
    fill(timezone.now() - timedelta(days=1), blocks=3)
    client = visitor()
    for path in ("/", "/ladders/amsterdam/", "/ladders/amsterdam/blocks/", "/bots/canal-rat/"):
        links = re.findall(r'type="application/atom\+xml" href="([^"]+)"', page(client, path))
        assert links[0] == "/en/feed/"
        assert f"/en{path}feed/" in links
        for link in links:
            assert client.get(link).status_code == 200

    first = client.get("/en/feed/")
    assert first.headers["Cache-Control"] == "public, max-age=300"
    assert not first.cookies
    again = client.get("/en/feed/", HTTP_IF_NONE_MATCH=first.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/en/ladders/nowhere/feed/").status_code == 404

    robots = client.get("/robots.txt").content.decode()
    crawler = RobotFileParser()  # it does not support wildcards
    crawler.parse(robots.splitlines())
    roots = ["", *(f"/{code}" for code, _ in settings.LANGUAGES)]
    for closed in ("accounts/login/", "desk/", "matches/17/", "matches/17/verify/", "search/"):
        assert not any(crawler.can_fetch("*", f"{root}/{closed}") for root in roots)
    assert all(crawler.can_fetch("*", f"{root}/ladders/") for root in roots)
    assert f"Sitemap: {settings.DAMRAK_URL}/sitemap.xml" in robots
    maps = re.findall(
        r"<loc>http://[^/]+([^<]+)</loc>", client.get("/sitemap.xml").content.decode()
    )
    pages = [
        place
        for name in maps
        for place in re.findall(
            r"<loc>http://[^/]+([^<]+)</loc>", client.get(name).content.decode()
        )
    ]
    assert {"/en/", "/en/rules/", "/en/ladders/amsterdam/", "/en/bots/canal-rat/"} < set(pages)
    assert "/en/bots/barge/" not in pages  # benched
    for place in pages:
        assert client.get(place).status_code == 200, place
