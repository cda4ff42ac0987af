"""The pages of tournaments for spectators."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from django.utils.html import strip_tags

from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.web.tournaments import views
from ladder.people import NOW, somebody
from ladder.tournaments.cups import act, cup, organiser, play, rules, started
from ladder.visitors import page, queries_of, visitor

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _no_second_factor(settings: Any) -> None:
    settings.DAMRAK_NEEDS_SECOND_FACTOR = False


def test_list_names_tournaments_and_what_comes_next() -> None:
    client = visitor()
    assert "There is no tournament yet" in page(client, "/tournaments/")
    cup(3)
    text = page(client, "/tournaments/")
    assert 'href="/en/tournaments/cup/"' in text
    assert "open for entries" in text
    assert "3 entrants" in text
    assert 'href="/en/tournaments/"' in page(client, "/")
    text = page(client, "/tournaments/cup/")
    assert "Bots can enter" in text
    assert "No round is paired yet" in text
    assert "fixed when entries close" in page(client, "/tournaments/cup/entrants/")
    assert "The first table appears" in page(client, "/tournaments/cup/standings/")


def test_list_is_paged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "SIZE", 1)
    cup(2, slug="first")
    cup(2, slug="second")
    text = page(visitor(), "/tournaments/")
    assert "Second" in text
    assert "First" not in text
    more = re.search(r'class="pages"><a href="(\?before=\d+)"', text)
    assert more is not None
    assert "First" in page(visitor(), f"/tournaments/{more[1]}")


def test_standings_show_tie_breaks_and_the_criterion_that_decided() -> None:
    tournament, _ = started(6, "swiss", rounds=3)
    play(tournament)
    text = page(visitor(), "/tournaments/cup/standings/")
    assert "after 3 rounds" in text
    for words in ("Buchholz", "Sonneborn-Berger", "Head-to-head result", "Decided by"):
        assert words in text
    assert 'tournament-decided">' in text
    text = page(visitor(), "/tournaments/cup/cross-table/0/")
    assert "matrix__self" in text
    assert re.search(r"<strong>100\s%</strong>", text)
    page(visitor(), "/tournaments/cup/cross-table/1/", status=404)
    page(visitor(), "/tournaments/cup/bracket/0/", status=404)


def test_round_links_to_its_blocks() -> None:
    tournament, _ = started(5, "swiss", rounds=2)
    play(tournament)
    text = page(visitor(), "/tournaments/cup/rounds/0/1/")
    assert len(set(re.findall(r'href="/en/blocks/(\d+)/"', text))) == 2
    assert "bye" in text
    for number in re.findall(r'href="/en/blocks/(\d+)/"', text):
        page(visitor(), f"/blocks/{number}/")
    page(visitor(), "/tournaments/cup/rounds/0/3/", status=404)


@pytest.mark.parametrize(
    ("format_", "entrants", "duels"),
    [
        ("single-elimination", 8, 8),
        ("single-elimination", 6, 6),
        ("double-elimination", 8, 14),
    ],
)
def test_bracket_shows_every_duel_twice(format_: str, entrants: int, duels: int) -> None:
    more = {"third_place": True} if format_ == "single-elimination" else {}
    tournament, _ = started(entrants, format_, **more)
    play(tournament)
    text = page(visitor(), "/tournaments/cup/bracket/0/")
    assert text.count('<rect class="knockout__box"') == duels
    assert text.count('<span class="hidden"> ') >= duels
    assert "Final" in text
    boxes = re.findall(r'<rect class="knockout__box" x="([\d.]+)" y="([\d.]+)"', text)
    assert len(set(boxes)) == duels  # no two slots lie on each other


def test_bracket_of_64_fits_and_no_slots_overlap() -> None:
    started(64, "double-elimination")
    text = page(visitor(), "/tournaments/cup/bracket/0/")
    pattern = r'__box" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"'
    boxes = [tuple(map(float, one)) for one in re.findall(pattern, text)]
    assert len(boxes) == 126
    by_column: dict[float, list[tuple[float, float]]] = {}
    for x, y, width, height in boxes:
        assert 0 <= x <= 1180 - width
        by_column.setdefault(x, []).append((y, y + height))
    for spans in by_column.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_hidden_round_shows_pairings_without_results_and_blocks() -> None:
    tournament, user = started(4, "swiss", rounds=2, reveal="hidden")
    play(tournament)
    stranger = visitor()
    text = page(stranger, "/tournaments/cup/rounds/0/1/")
    assert "not released" in text
    assert "/blocks/" not in text
    assert "running" in page(stranger, "/tournaments/cup/")
    page(stranger, "/tournaments/cup/rounds/0/2/", status=404)
    assert "/blocks/" in page(visitor(user), "/tournaments/cup/rounds/0/1/")
    act(tournament, user, "release", {"round": 1, "level": "public"})
    assert "/blocks/" in page(stranger, "/tournaments/cup/rounds/0/1/")


def test_home_states_conditions_of_entry_and_the_time_of_rounds() -> None:
    entry = {"low": 1400, "ladder": "practice", "languages": ["rust"], "per_owner": 2}
    entry |= {"domain": "uni.example", "kinds": ["uploaded"]}
    user = organiser()
    schedule = {"daily": "20:00", "zone": "Europe/Amsterdam"}
    act(create(user, Plan("cup", "Cup", rules(entry=entry, schedule=schedule)), NOW), user, "open")
    text = " ".join(strip_tags(page(visitor(), "/tournaments/cup/").replace("<", " <")).split())
    for said in (
        "Only with a rating on the ladder practice · Lowest rating: 1400",
        "Languages: rust",
        "At most 2 bots of each author",
        "Only with a verified email address at uni.example",
        "Kinds of bots: uploaded",
        "One round a day, at 20:00 (Europe/Amsterdam)",
    ):
        assert said in text, said
    assert "Highest rating" not in text


def test_private_tournament_and_draft_look_like_none() -> None:
    tournament, user = started(4, visibility="private")
    missing = visitor().get("/en/tournaments/none/")
    for path in ("", "entrants/", "standings/", "rounds/0/1/", "cross-table/0/", "log/"):
        answer = visitor().get(f"/en/tournaments/cup/{path}")
        assert answer.status_code == 404
        assert answer.content.replace(b"/cup/" + path.encode(), b"/none/") == missing.content
    assert "cup" not in page(visitor(), "/tournaments/")
    assert "private" in page(visitor(user), "/tournaments/")
    Tournament.objects.filter(pk=tournament.pk).update(visibility="public", phase="draft")
    assert visitor().get("/en/tournaments/cup/").status_code == 404


@pytest.mark.parametrize("reveal", ["public", "hidden"])
def test_log_names_the_bots_that_acts_are_about(reveal: str) -> None:
    tournament, user = started(4, reveal=reveal)
    act(tournament, user, "disqualify", {"entrant": 2}, reason="It copied another bot.")
    act(tournament, user, "withdraw", {"entrant": 3}, reason="Its author asked for it.")
    text = " ".join(strip_tags(page(visitor(), "/tournaments/cup/log/")).split())
    assert "Bot disqualified: cup-2" in text
    # A withdrawal may follow from a hidden result; a disqualification is on the list of entrants.
    assert ("Bot withdrawn: cup-3" in text) is (reveal == "public")
    said = json.loads(visitor().get("/api/v1/tournaments/cup/export").content)["acts"]
    [about] = [one["entrants"] for one in said if one["kind"] == "disqualify"]
    assert about == [{"entrant": 2, "bot": "cup-2", "name": "Cup-2"}]


def test_log_shows_public_acts_with_their_reasons() -> None:
    tournament, user = started(4)
    act(tournament, user, "pause", reason="Storm over the canal")
    act(tournament, user, "resume", reason="a secret", is_public=False)
    text = page(visitor(somebody("eve")), "/tournaments/cup/log/")
    assert "Storm over the canal" in text
    assert "a secret" not in text
    assert "a secret" in page(visitor(user), "/tournaments/cup/log/")


def test_queries_do_not_grow_with_the_field() -> None:
    few, _ = started(4, "swiss", slug="few", rounds=2)
    play(few)
    many, _ = started(12, "swiss", slug="many", rounds=4)
    play(many)
    client = visitor()
    for path in ("", "entrants/", "standings/", "rounds/0/1/", "cross-table/0/", "log/"):
        for slug in ("few", "many"):  # fills the caches
            page(client, f"/tournaments/{slug}/{path}")
        counts = [queries_of(client, f"/tournaments/{slug}/{path}") for slug in ("few", "many")]
        assert counts[0] == counts[1], path
