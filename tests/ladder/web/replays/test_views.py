"""The viewer's files: access, caching, and contents."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.cache import cache, caches
from django.test import Client, override_settings
from django.utils import translation
from PIL import Image, ImageChops

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.models import Block, BlockState, Match, Seat, SeatResult
from damrak_ladder.replays.compression import compress, decompress
from damrak_ladder.replays.errors import ReplayDamaged
from damrak_ladder.replays.models import StoredReplay
from damrak_ladder.stores.errors import StoreUnreachable
from damrak_ladder.web.replays import sources
from damrak_ladder.web.replays.palette import fitted
from damrak_ladder.web.replays.pixels import family, pixels
from damrak_ladder.web.replays.words import DASH
from ladder.bot_versions import some_bot, some_version
from ladder.calls import MEMORY
from ladder.films import recorded_films
from ladder.people import NOW
from ladder.tables import some_block

pytestmark = pytest.mark.usefixtures("database")

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_STORE", "database")


@pytest.fixture
def match() -> Match:
    return recorded_films(3)[0]


def test_nothing_is_shown_before_the_whole_block_is_recorded(client: Client) -> None:
    played = recorded_films(4)[0]
    others = tuple(some_version(some_bot(slug)) for slug in ("tulip", "herring"))
    match = some_block(others).matches.get(number=0)
    names = ("moments/all.json", "moments/table.json", "position.svg", "film.svg", "card.png")
    for name in (*names, "replay.json"):
        assert client.get(f"/matches/{match.pk}/{name}").status_code == 404
    Block.objects.filter(pk=played.block_id).update(state=BlockState.WAITING)
    assert client.get(f"/matches/{played.pk}/moments/all.json").status_code == 404


def test_frame_follows_a_match_that_is_not_over(client: Client) -> None:
    others = tuple(some_version(some_bot(slug)) for slug in ("tulip", "herring"))
    block = some_block(others)
    path = f"/en/matches/{block.matches.get(number=0).pk}/embed/"
    for state in (BlockState.WAITING, BlockState.RUNNING):
        lease = NOW if state == BlockState.RUNNING else None
        Block.objects.filter(pk=block.pk).update(state=state, lease_until=lease)
        framed = client.get(path)
        assert "frame-ancestors *" in framed.headers["Content-Security-Policy"]
        text = framed.content.decode()
        assert "data-live" in text
        assert "tulip" in text
    Block.objects.filter(pk=block.pk).update(state=BlockState.DEAD, lease_until=None)
    assert client.get(path).status_code == 404


def test_preview_of_a_link_to_an_earlier_moment_shows_no_result(
    client: Client, match: Match
) -> None:
    def preview(query: str) -> dict[str, str]:
        page = client.get(f"/en/matches/{match.pk}/{query}").content.decode()
        return dict(re.findall(r'property="og:(\w+)" content="([^"]*)"', page))

    end, start = preview(""), preview("?at=0")
    assert end["title"] == start["title"]
    assert "·" in end["description"]
    assert "·" not in start["description"]
    assert end["url"].endswith(f"/matches/{match.pk}/")
    assert start["url"].endswith(f"/matches/{match.pk}/?at=0")  # crawlers read this address
    assert end["image"].endswith("card.png")
    assert start["image"].endswith("position.png?at=0")
    client.cookies["damrak-results"] = "hidden"
    assert preview("") == start


def test_moments_come_compressed_and_may_be_kept_for_good(client: Client, match: Match) -> None:
    path = f"/matches/{match.pk}/moments/0.json"
    plain = client.get(path)
    assert plain.headers["Cache-Control"] == "public, no-cache"
    small = client.get(f"{path}?v=1", headers={"Accept-Encoding": "br, gzip"})
    assert small.headers["Content-Encoding"] == "gzip"
    assert "immutable" in small.headers["Cache-Control"]
    assert "Accept-Encoding" in small.headers["Vary"]
    assert gzip.decompress(small.content) == plain.content
    assert len(small.content) < 10_000
    again = client.get(path, headers={"If-None-Match": plain.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_moments_exist_only_for_existing_perspectives(client: Client, match: Match) -> None:
    for eyes in ("all", "table", "0", "2"):
        found = client.get(f"/matches/{match.pk}/moments/{eyes}.json").json()
        assert found["eyes"] == eyes
    for eyes in ("3", "00", "-1", "ALL", "٢"):
        assert client.get(f"/matches/{match.pk}/moments/{eyes}.json").status_code == 404


def test_moments_cost_few_queries(
    client: Client, match: Match, django_assert_max_num_queries: Any
) -> None:
    path = f"/matches/{match.pk}/moments/all.json"
    client.get(path)
    with django_assert_max_num_queries(2):
        client.get(path)


def test_position_shows_the_carts_of_its_moment(client: Client, match: Match) -> None:
    moments = client.get(f"/matches/{match.pk}/moments/all.json").json()["moments"]
    claims = [at for at, (event, _) in enumerate(moments) if event["event"] == "claim"]

    def claimed(query: str) -> int:
        answer = client.get(f"/matches/{match.pk}/position.svg{query}")
        assert answer.headers["Content-Type"].startswith("image/svg+xml")
        ElementTree.fromstring(answer.content)
        return answer.content.count(b'" data-seat="')

    assert claimed("?at=0") == 0
    assert claimed(f"?at={claims[2] - 1}") == 2
    assert claimed(f"?at={claims[2]}") == 3
    assert claimed("") == claimed("?at=999999") == claimed("?at=nonsense") == len(claims)


def test_moving_picture_shows_every_claim(client: Client, match: Match) -> None:
    moments = client.get(f"/matches/{match.pk}/moments/all.json").json()["moments"]
    claims = sum(event["event"] == "claim" for event, _ in moments)
    film = client.get(f"/matches/{match.pk}/film.svg").content
    ElementTree.fromstring(film)
    assert film.count(b"<animate ") == claims


@pytest.mark.parametrize(
    "trouble", [ReplayDamaged("ab", "is not what was put there"), StoreUnreachable("a bucket")]
)
def test_result_is_seen_even_if_the_replay_is_not_to_be_had(
    client: Client, match: Match, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    def load(_: str) -> bytes:
        raise trouble

    sources.parsed.cache_clear()
    monkeypatch.setattr(sources, "load", load)
    assert client.get(f"/en/matches/{match.pk}/").status_code == 200
    client.raise_request_exception = False
    assert client.get(f"/matches/{match.pk}/film.svg").status_code in (404, 500, 503)
    # Stories of games whose replay is gone show the empty board.
    picture = client.get(f"/matches/{match.pk}/position.svg")
    assert picture.status_code == (200 if isinstance(trouble, ReplayDamaged) else 503)
    assert ("</svg>" in picture.content.decode()) == isinstance(trouble, ReplayDamaged)


def test_link_cards_fill_no_memory_that_others_need(client: Client, match: Match) -> None:
    """The cache is in the broker, which accepts no messages when its memory is full."""
    with override_settings(CACHES=MEMORY):
        cache.clear()
        client.get(f"/matches/{match.pk}/card.png")
        assert all(len(value) < 1000 for value in caches["default"]._cache.values())


def test_link_card_is_a_picture(client: Client, match: Match) -> None:
    card = client.get(f"/matches/{match.pk}/card.png")
    assert card.content.startswith(PNG)
    assert int.from_bytes(card.content[16:20], "big") == 1200
    page = client.get(f"/en/matches/{match.pk}/").content.decode()
    assert f'property="og:image" content="http://testserver/matches/{match.pk}/card.png"' in page


def test_link_card_shows_the_position_as_other_pictures_do(client: Client, match: Match) -> None:
    card = Image.open(io.BytesIO(client.get(f"/matches/{match.pk}/card.png").content))
    svg = client.get(f"/matches/{match.pk}/position.svg").content.decode()
    whole = pixels(svg, 800).convert("RGB")
    top = (card.height - whole.height) // 2
    board = card.convert("RGB").crop((0, top, 800, top + whole.height))
    rim = 4  # the card's paper continues, but a picture ends
    inside = (rim, rim, 800 - rim, whole.height - rim)
    apart = ImageChops.difference(board.crop(inside), whole.crop(inside)).convert("L")
    far = sum(apart.histogram()[32:])
    assert far < 0.004 * apart.width * apart.height
    alone = Image.open(io.BytesIO(client.get(f"/matches/{match.pk}/position.png").content))
    assert (
        alone.convert("RGB").tobytes()
        == card.convert("RGB").crop((0, top, 800, top + whole.height)).tobytes()
    )
    begin = Image.open(io.BytesIO(client.get(f"/matches/{match.pk}/position.png?at=0").content))
    assert begin.size == alone.size
    assert begin.convert("RGB").tobytes() != alone.convert("RGB").tobytes()


@pytest.mark.skipif(family() is None, reason="this machine has no font")
def test_pictures_have_their_words(client: Client, match: Match) -> None:
    svg = client.get(f"/matches/{match.pk}/position.svg").content.decode()
    mute, words = re.subn(r"<text.*?</text>", "", svg)
    assert words > 5
    ink = ImageChops.difference(pixels(svg).convert("L"), pixels(mute).convert("L"))
    assert sum(ink.histogram()[64:]) > 20 * words


def test_names_in_pictures_keep_within_their_room() -> None:
    for name in ("tulip", "w" * 40, "herring-with-the-long-winded-name-of-bot"):
        found = re.fullmatch(r' textLength="(\d+)"[^>]*>(.+)</text>', fitted(name, 24, 200.0))
        assert found is not None
        assert int(found[1]) <= 200
        assert found[2] == name or name.startswith(found[2].removesuffix("\u2026"))
    assert ">tulip<" in fitted("tulip", 24, 200.0)


def test_pages_without_a_script_show_the_end_and_every_event(client: Client, match: Match) -> None:
    page = client.get(f"/en/matches/{match.pk}/?eyes=1").content.decode()
    moments = client.get(f"/matches/{match.pk}/moments/1.json").json()["moments"]
    assert page.count('<li id="e') == len(moments)
    assert "draws a card from the pile." in page
    assert 'class="carts" data-carts=' in page
    assert "style=" not in page.split('id="viewer"')[1]


def test_one_button_shares_address_embed_picture_film_and_download(
    client: Client, match: Match
) -> None:
    page = client.get(f"/en/matches/{match.pk}/").content.decode()
    assert page.count(">Share<") == 1
    shared = page.partition('<details class="viewer__share">')[2].partition("</details>")[0]
    assert f'/en/matches/{match.pk}/" data-link' in shared
    assert f"/en/matches/{match.pk}/embed/" in shared
    for file in ("position.png", "position.svg", "film.gif", "film.svg", "replay.json"):
        assert f'href="/matches/{match.pk}/{file}"' in shared, file


@pytest.mark.parametrize("eyes", ["all", "table", "0", "1", "2"])
def test_pages_without_a_script_show_what_the_eyes_may_see(
    client: Client, match: Match, eyes: str
) -> None:
    truth = client.get(f"/matches/{match.pk}/moments/all.json").json()
    values: dict[str, Any] = {}
    at = 20
    for _, changes in truth["moments"][: at + 1]:
        values |= changes
    page = client.get(f"/en/matches/{match.pk}/?eyes={eyes}&at={at}").content.decode()
    panels = re.findall(r'<article class="seat seat--.*?</article>', page)
    assert len(panels) == 3
    for seat, panel in enumerate(panels):
        cards, hidden = values[f"h{seat}"][:7], values[f"h{seat}"][7]
        assert hidden == 0
        shown = [int(number) for number in re.findall(r"<b>(\d+)</b>", panel)]
        assert sum(shown) == sum(cards)
        names = [
            f" {DASH} ".join(truth["places"][end] for end in truth["contracts"][contract][:2])
            for contract in values[f"c{seat}"]
        ]
        is_seen = eyes in ("all", str(seat))
        assert all((name in panel) == is_seen for name in names)
        assert ("contract--back" in panel) != is_seen
    assert ("a note of seat" in page) == (eyes != "table")
    assert f"position.svg?at={at}" in page


def test_missing_moments_are_replaced_by_the_last_one(client: Client, match: Match) -> None:
    last = len(client.get(f"/matches/{match.pk}/moments/all.json").json()["moments"]) - 1
    for asked in ("", "?at=", "?at=-1", "?at=x", "?at=99999", "?at=99999999"):
        page = client.get(f"/en/matches/{match.pk}/{asked}").content.decode()
        assert f"{last} / {last} · Turn" in page, asked


def test_download_is_the_replay_as_it_was_signed(client: Client, match: Match) -> None:
    answer = client.get(f"/matches/{match.pk}/replay.json")
    assert answer.json()["hash"] == match.replay
    assert answer.headers["Content-Disposition"] == f'attachment; filename="damrak-{match.pk}.json"'


def test_verifying_checks_what_is_stored_now(client: Client, match: Match) -> None:
    path = f"/en/matches/{match.pk}/verify/"
    good = client.get(path, headers={"X-Requested-With": "fetch"}).content.decode()
    assert "This replay is valid." in good
    assert good.count("✓") == 8
    assert f"damrak verify --key {settings.DAMRAK_URL} damrak-{match.pk}.json" in good
    assert "<html" not in good
    assert "<html" in client.get(path).content.decode()
    row = StoredReplay.objects.get(pk=match.replay)
    replay = json.loads(decompress(bytes(row.data)))
    replay["result"]["seats"][0]["total"] += 1
    row.data = compress(json.dumps(replay).encode())
    row.save()
    bad = client.get(path).content.decode()
    assert "This replay is not valid." in bad
    assert (bad.count("✓"), bad.count("✗")) == (2, 1)


@pytest.mark.parametrize("what", ["place", "points", "fault", "turn", "version"])
def test_verifying_compares_the_published_result(client: Client, match: Match, what: str) -> None:
    one, other = SeatResult.objects.filter(seat__match=match).order_by("seat__number")[:2]
    if what == "version":
        Seat.objects.filter(pk=one.seat_id).update(version=other.seat.version_id)
        said = "seat 1, bot: bot-1 v1 shown, bot-0 v1 in the replay"
    else:
        changed = {"place": 9, "points": -7, "fault": "memory", "turn": 3}[what]
        SeatResult.objects.filter(pk=one.pk).update(**{what: changed})
        was = getattr(one, what)
        label = "turn order" if what == "turn" else what
        said = f"seat 1, {label}: {changed} shown, {DASH if was == '' else was} in the replay"
    bad = client.get(f"/en/matches/{match.pk}/verify/").content.decode()
    assert "This replay is not valid." in bad
    assert said in bad
    assert (bad.count("✓"), bad.count("✗")) == (7, 1)


def test_verifying_names_each_of_two_seats_whose_places_were_swapped(
    client: Client, match: Match
) -> None:
    results = list(SeatResult.objects.filter(seat__match=match).order_by("seat__number"))
    first = next(result for result in results if result.place == 1)
    second = next(result for result in results if result.place != 1)
    SeatResult.objects.filter(pk=first.pk).update(place=second.place)
    SeatResult.objects.filter(pk=second.pk).update(place=1)
    bad = client.get(f"/en/matches/{match.pk}/verify/").content.decode()
    for result, shown in ((first, second.place), (second, 1)):
        number = results.index(result) + 1
        assert f"seat {number}, place: {shown} shown, {result.place} in the replay" in bad
    assert "This replay is not valid." in bad


def test_verifying_compares_the_board_with_the_published_one(client: Client, match: Match) -> None:
    Block.objects.filter(pk=match.block_id).update(board="amsterdam")
    bad = client.get(f"/en/matches/{match.pk}/verify/").content.decode()
    assert "header: expected the published board amsterdam" in bad


def test_only_the_embedded_page_may_be_framed(client: Client, match: Match) -> None:
    page = client.get(f"/en/matches/{match.pk}/")
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    framed = client.get(f"/en/matches/{match.pk}/embed/")
    assert "frame-ancestors *" in framed.headers["Content-Security-Policy"]
    assert "default-src 'none'" in framed.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed.headers


def test_oembed_describes_the_frame_of_a_match(client: Client, match: Match) -> None:
    def asked(url: str, **more: str) -> Any:
        return client.get("/oembed/", {"url": url, **more})

    for language in ("en", "pl"):
        found = asked(f"http://testserver/{language}/matches/{match.pk}/?eyes=1", maxwidth="500")
        assert found.json()["type"] == "rich"
        assert found.json()["width"] == 500
        assert f'/matches/{match.pk}/embed/?eyes=1" ' in found.json()["html"]
    moments = {"#42": "#42", "?at=7": "#7", "?eyes=9#x": "", "?eyes=0#e3": "?eyes=0#3"}
    for more, kept in moments.items():
        found = asked(f"http://testserver/matches/{match.pk}/{more}")
        assert f'/embed/{kept}" ' in found.json()["html"], more
    page = f"/en/matches/{match.pk}/"
    assert asked(f"HTTPS://TestServer{page}").status_code == 200
    assert asked(f"{settings.DAMRAK_URL}{page}").status_code == 200
    foreign = ("http://example.org", "http://testserver.example.org", "http://testserver:81", "")
    odd = ("http://testserver@example.org", "ftp://testserver", "//testserver", "http://[")
    assert {asked(site + page).status_code for site in (*foreign, *odd)} == {404}
    assert asked("http://testserver/en/queue/").status_code == 404
    assert asked(f"http://testserver/en/matches/{match.pk}/", format="xml").status_code == 501


def test_colours_serve_both_themes(client: Client) -> None:
    css = client.get("/boards.css").content.decode()
    assert "prefers-color-scheme: dark" in css
    assert ':root[data-theme="dark"] .damrak {' in css
    assert css.count("{") == css.count("}")


def test_each_seat_has_one_colour_in_all_parts_of_pages() -> None:
    coloured = []
    for sheet in ("site.css", "viewer/viewer.css", "play/play.css"):
        path = finders.find(f"damrak/{sheet}")
        assert path is not None
        rules = re.findall(r"([^{}]*)\{([^{}]*var\(--seat-(\d)\)[^{}]*)\}", Path(path).read_text())
        for selectors, declarations, seat in rules:
            assert set(re.findall(r"--(?:seat|pip)-(\d)", declarations)) == {seat}
            assert {found[-1] for found in re.findall(r"-\d", selectors)} == {seat}, selectors
            coloured += re.findall(r"[\w-]+(?=-\d)", selectors)
    parts = {"live-table__seat-", "seat-", "chance-", "seat", "line", "fill"}
    assert Counter(coloured) == dict.fromkeys(parts, 4)


def test_browsers_may_fetch_all_scripts_at_once(client: Client, match: Match) -> None:
    folder = Path(str(finders.find("damrak/viewer/viewer.js"))).parent
    imported: set[str] = set()
    waiting = ["viewer"]
    while waiting:
        text = (folder / f"{waiting.pop()}.js").read_text()
        found = set(re.findall(r'^import .* from "\./(\w+)\.js";$', text, re.MULTILINE))
        waiting += found - imported
        imported |= found
    page = client.get(f"/en/matches/{match.pk}/").content.decode()
    assert imported == set(re.findall(r'"modulepreload" href="[^"]*/(\w+)\.js"', page))


def test_page_holds_what_its_eyes_see(client: Client, match: Match) -> None:
    for eyes in ("all", "1"):
        page = client.get(f"/en/matches/{match.pk}/?eyes={eyes}").content.decode()
        held = page.split('id="viewer-moments">')[1].split("</script>")[0]
        assert "<" not in held
        assert json.loads(held) == client.get(f"/matches/{match.pk}/moments/{eyes}.json").json()


def test_bots_are_called_what_other_pages_call_them(client: Client) -> None:
    bot = some_bot("gable")
    house = Bot(slug="house-mcts-iterations-50", name="mcts, 50 iterations")
    seats = [some_version(bot), Version(bot=house, number=1), some_version(bot, "greedy")]
    assert sources.names_among(seats[:2]) == ["gable", "mcts, 50 iterations"]
    assert sources.names_among(seats) == ["gable v1", "mcts, 50 iterations", "gable v2"]
    with translation.override("pl"):
        assert sources.names_among(seats[:2]) == ["gable", "mcts, 50 iteracji"]
