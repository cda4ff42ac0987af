"""What spectators see of tournaments and leagues, and their files."""

from __future__ import annotations

import io
import json
import re
import secrets
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from PIL import Image

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.house import house_version
from damrak_ladder.bots.models import Bot
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.chances import forecast_rounds
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.duties import advance
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.pairing_blocks import TournamentSource
from damrak_ladder.tournaments.trf import parse
from damrak_ladder.web.tournaments.card import drawing_of
from independent.tournament_tables import tables_of
from ladder.calls import MEMORY
from ladder.people import NOW, somebody
from ladder.tournaments.cups import act, cup, play, some_league, started
from ladder.visitors import page, queries_of, visitor

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _settings(settings: Any) -> None:
    settings.DAMRAK_NEEDS_SECOND_FACTOR = False
    settings.CACHES = MEMORY


def release(tournament: Tournament, user: User, *rounds: int) -> None:
    for number in rounds:
        act(tournament, user, "release", {"round": number, "level": "public"})


def test_files_contain_what_the_tables_rest_on() -> None:
    tournament, _ = started(5, "swiss", rounds=3)
    play(tournament)
    client = visitor()
    text = page(client, "/tournaments/cup/")
    for name in ("export.json", "standings.csv", "report.pdf", "0.trf"):
        assert f"/en/tournaments/cup/files/{name}" in text
    export = json.loads(page(client, "/tournaments/cup/files/export.json"))
    [table] = tables_of(export)
    rows = export["standings"][0]["rows"]
    assert [(row["place"], row["bot"], row["points"]) for row in rows] == table
    assert page(client, "/tournaments/cup/files/standings.csv").startswith("stage,group,place,bot")
    assert len(parse(page(client, "/tournaments/cup/files/0.trf")).players) == 5
    for name in ("1.trf", "x.trf", "export.txt", "trf", "²⁵.trf"):
        assert client.get(f"/en/tournaments/cup/files/{name}").status_code == 404


def test_report_is_a_pdf_with_escaped_names_on_several_pages() -> None:
    tournament, _ = started(40, "swiss", rounds=2)
    odd = "A (very\\ odd) cup \N{SNOWMAN}"
    Tournament.objects.filter(pk=tournament.pk).update(name=odd)
    content = visitor().get("/en/tournaments/cup/files/report.pdf").content
    assert content.startswith(b"%PDF-1.4")
    assert rb"(A \(very\\ odd\) cup ?)" in content
    pages = re.search(rb"/Count (\d+)", content)
    begin = re.search(rb"startxref\n(\d+)", content)
    assert pages is not None
    assert begin is not None
    assert int(pages[1]) >= 2
    assert content[int(begin[1]) :].startswith(b"xref")
    for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n", content), 1):
        assert content[int(place) :].startswith(b"%d 0 obj" % number)


def test_long_texts_of_the_report_stay_on_the_sheet() -> None:
    tournament, user = started(2)
    reason = "It copied the opening of another bot. " * 8 + "END"
    act(tournament, user, "disqualify", {"entrant": 1}, reason=reason)
    content = visitor().get("/en/tournaments/cup/files/report.pdf").content.decode("cp1252")
    assert "END" in content
    lines = re.findall(r"Tf 48\.0 [\d.]+ Td \((.*)\) Tj", content)
    assert sum("copied" in line for line in lines) >= 3
    assert max(map(len, lines)) < 95


def test_only_organisers_verify_and_read_the_collusion_report() -> None:
    tournament, user = started(5, "swiss-tables", rounds=2, players=4)
    play(tournament)
    for path in ("verify/", "collusion/"):
        assert visitor(somebody(path[:3])).get(f"/en/tournaments/cup/{path}").status_code == 404
    assert "too few meetings" in page(visitor(user), "/tournaments/cup/collusion/")
    # The games of this test have no replays.
    assert "0 blocks are confirmed" in page(visitor(user), "/tournaments/cup/verify/")


def test_collusion_report_is_linked_where_more_than_two_sit_at_a_table() -> None:
    _, user = started(6, "swiss-tables", rounds=1, players=4)
    started(2, slug="duel")
    assert "/collusion/" in page(visitor(user), "/tournaments/cup/")
    duel = visitor(User.objects.get(username="organiser-of-duel"))
    assert "/verify/" in (text := page(duel, "/tournaments/duel/"))
    assert "/collusion/" not in text


@pytest.mark.parametrize(
    ("format_", "rounds", "more"),
    [
        ("swiss", 3, {"rounds": 3}),
        ("round-robin", 5, {}),
        ("swiss-tables", 2, {"rounds": 2, "players": 4}),
        ("single-elimination", 3, {}),
        ("double-elimination", 6, {}),
        ("culling", 7, {"rounds": 3}),
        ("single-elimination", 2, {"players": 4}),
    ],
)
def test_chances_follow_visible_results_and_are_scored(
    format_: str, rounds: int, more: dict[str, Any]
) -> None:
    tournament, user = started(6, format_, blocks=4, reveal="hidden", **more)
    play(tournament)
    act(tournament, user, "finalise")
    client = visitor()
    text = page(client, "/tournaments/cup/chances/0/")
    assert len(shares(text)) == 6
    assert max(shares(text)) < 45  # no result is known yet
    assert "scored here when" in text
    release(tournament, user, *range(1, rounds + 1))
    text = page(client, "/tournaments/cup/chances/0/")
    assert shares(text)[0] == 100
    assert "Brier" in text
    scores = [float(one) for one in re.findall(r'<strong class="number">([\d.]+)</strong>', text)]
    assert scores[-1] < scores[0]


def test_chances_of_groups_go_on_through_the_knockout_that_follows() -> None:
    stages = [
        {"format": "groups", "groups": 2, "advance": 2, "blocks": 4},
        {"format": "single-elimination", "blocks": 4, "sources": [{"stage": 0}]},
    ]
    tournament, user = started(6, stages=stages, reveal="hidden")
    play(tournament)
    act(tournament, user, "finalise")
    before = shares(page(visitor(), "/tournaments/cup/chances/0/"))
    assert len(before) == 6
    assert 98 < sum(before) < 102
    assert max(before) < 45
    release(tournament, user, 1, 2, 3)
    text = page(visitor(), "/tournaments/cup/chances/0/")
    last = journal.state_of(tournament).stages[0]
    out = [row.number for row in disclosed(tournament, None).table(last) if row.place not in (1, 2)]
    assert len(out) == 2
    assert shares(text)[4:] in ([], [0.0, 0.0])
    assert shares(text)[0] < 100  # the knockout is not released


@pytest.mark.parametrize("players", [2, 4])
def test_chances_of_groups_alone_are_those_of_winning_a_group(players: int) -> None:
    stages = [{"format": "groups", "groups": 2, "blocks": 4, "players": players}]
    tournament, user = started(8, stages=stages, reveal="hidden")
    play(tournament)
    act(tournament, user, "finalise")
    text = page(visitor(), "/tournaments/cup/chances/0/")
    assert "winning the own group" in text
    assert 195 < sum(shares(text)) < 205  # of rounded values
    stage = journal.state_of(tournament).stages[0]
    release(tournament, user, *range(1, len(stage.rounds) + 1))
    text = page(visitor(), "/tournaments/cup/chances/0/")
    assert shares(text)[:2] == [100, 100]
    assert "0.75 if all entrants" in text
    said = chances_in_api()
    assert {one["group"] for one in said["entrants"][:2]} == {0, 1}
    assert said["scores"][0]["score"] == pytest.approx(0.75, abs=0.05)
    assert said["after"] == list(range(len(stage.rounds) + 1))


def test_withdrawn_entrants_of_a_knockout_at_tables_of_four_cannot_win() -> None:
    tournament, user = started(16, "single-elimination", players=4)
    before = chances_in_api()["entrants"]
    assert sum(one["chance"] for one in before) == pytest.approx(1)
    act(tournament, user, "withdraw", {"entrant": before[0]["entrant"]})
    after = chances_in_api()["entrants"]
    chances = {one["entrant"]: one["chance"] for one in after}
    assert chances[before[0]["entrant"]] == 0
    assert sum(chances.values()) == pytest.approx(1)


def test_long_stages_have_a_bounded_number_of_forecasts() -> None:
    assert forecast_rounds(3, 8) == [0, 1, 2, 3]
    for entrants, most in ((16, 17), (400, 5)):
        for played in range(300):
            found = forecast_rounds(played, entrants)
            assert len(found) <= most
            assert found[-1] == played
            kept = set(found[:-1]) - {played}
            assert len(kept - set(forecast_rounds(played + 1, entrants))) <= most // 2


def test_round_robin_that_is_too_large_says_why_it_has_no_forecast(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started(5)
    monkeypatch.setattr("damrak_ladder.tournaments.chances.MOST_ALL_MEET", 4)
    assert "would take too long" in page(visitor(), "/tournaments/cup/chances/0/")
    answer = visitor().get("/api/v1/tournaments/cup/chances")
    assert answer.status_code == 404
    assert "all meet" in json.loads(answer.content)["cure"]


def test_gauntlet_is_forecast_from_its_schedule() -> None:
    tournament, _ = started(4, "gauntlet", blocks=2)
    play(tournament)
    text = page(visitor(), "/tournaments/cup/chances/0/")
    assert shares(text)[0] == 100


def chances_in_api() -> Any:
    answer = visitor().get("/api/v1/tournaments/cup/chances")
    assert answer.status_code == 200, answer.content
    return json.loads(answer.content)


def shares(text: str) -> list[float]:
    """Return the latest chances in percent."""
    found = re.findall(r'<td class="number"><strong>(?:&lt;\s*)?([\d.]+)', text)
    return [float(one) for one in found]


def test_wall_shows_games_that_are_being_played_and_the_latest_ones() -> None:
    def boards() -> list[str]:
        text = page(visitor(user), "/tournaments/cup/live/")
        return re.findall(r'src="/en/matches/(\d+)/embed/\?at=0#play"', text)

    tournament, user = started(4, "swiss", rounds=1, blocks=9)
    assert "No game that you may watch" in page(visitor(user), "/tournaments/cup/live/")
    source = TournamentSource(tournament, (), NOW, secrets.token_bytes)
    while source.book_next() is not None:
        pass
    blocks = list(Block.objects.order_by("pk"))
    assert len(blocks) == 18
    Block.objects.update(state=BlockState.RUNNING, attempt=1, lease_until=NOW)
    firsts = [str(block.matches.get(number=0).pk) for block in blocks]
    assert boards() == firsts[:16]
    now = timezone.now()
    over = {"state": BlockState.RECORDED, "lease_until": None}
    for block, minutes in zip(blocks, (2, 1, 11, *[60] * 15), strict=True):
        block.matches.update(replay=f"{block.pk:064x}")
        finished = now - timedelta(minutes=minutes)
        Block.objects.filter(pk=block.pk).update(**over, finished=finished)
    assert boards() == [firsts[1], firsts[0]]


def test_wall_shows_no_hidden_games() -> None:
    tournament, user = started(4, "swiss", rounds=1, reveal="hidden")
    source = TournamentSource(tournament, (), NOW, secrets.token_bytes)
    while source.book_next() is not None:
        pass
    Block.objects.update(state=BlockState.RUNNING, attempt=1, lease_until=NOW)
    # Frames show what everyone may see, and would be empty.
    assert "No game that you may watch" in page(visitor(user), "/tournaments/cup/live/")


def test_card_is_a_picture_for_public_tournaments_only() -> None:
    started(4)
    started(4, slug="secret", visibility="private")
    answer = visitor().get("/en/tournaments/cup/card.png")
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    assert "tournaments/cup/card.png" in page(visitor(), "/tournaments/cup/")
    assert visitor().get("/en/tournaments/secret/card.png").status_code == 404


def test_card_names_bots_as_pages_do() -> None:
    tournament, user = cup(1)
    house = house_version("mcts:iterations=2", NOW).bot.slug
    act(tournament, user, "enter", {"slug": house})
    for kind in ("close", "start"):
        act(tournament, user, kind)
    advance(tournament, NOW)
    tournament.refresh_from_db()
    drawing = drawing_of(tournament)
    assert "mcts, 2 iterations" in drawing
    assert "Round robin · 2 entrants · running" in drawing
    assert house not in drawing


def test_trophies_appear_when_results_are_final_and_public() -> None:
    tournament, user = started(4, reveal="hidden")
    play(tournament)
    act(tournament, user, "finalise")
    client = visitor()
    owner = Bot.objects.get(slug="cup-1").owner.username
    assert "Trophies" not in page(client, "/bots/cup-1/")
    release(tournament, user, 1, 2, 3)
    assert "Place 1 of 4" in page(client, "/bots/cup-1/")
    assert "Place 1 of 4" in page(client, f"/owners/{owner}/")
    assert "Trophies" not in page(client, "/bots/cup-4/")


def test_front_page_shows_hidden_ends_as_running() -> None:
    tournament, _ = started(4, reveal="hidden")
    play(tournament)
    assert tournament.phase == "over"
    text = page(visitor(), "/")
    assert re.search(r"Cup</a></strong> <span[^>]*>running", text)
    started(2, slug="secret", visibility="private")
    assert "Secret" not in page(visitor(), "/")


def test_feed_lists_rounds_with_released_results_only() -> None:
    tournament, user = started(4, "swiss", rounds=2, reveal="hidden")
    play(tournament)
    text = page(visitor(), "/tournaments/cup/feed/")
    assert "Round 1 of Cup" in text
    assert "Round 2" not in text
    assert ": 1 –" not in text  # noqa: RUF001
    release(tournament, user, 1)
    assert ": 1 –" in page(visitor(), "/tournaments/cup/feed/")  # noqa: RUF001


def test_league_shows_divisions_moves_and_who_is_really_stronger() -> None:
    _, user = cup(6, slug="one")
    parts = [(1, 3), (4, 6)]
    stages = [
        {"format": "round-robin", "sources": [{"first": first, "last": last}]}
        for first, last in parts
    ]
    rules = {
        "stages": stages,
        "boards": ["practice"],
        "entry": {"per_owner": 9},
        "seeding": "entry",
    }
    seasons = []
    for slug, order in (("s1", (1, 2, 3, 4, 5, 6)), ("s2", (1, 2, 4, 3, 5))):
        season = create(user, Plan(slug, slug.upper(), rules), NOW)
        act(season, user, "open")
        for number in order:
            act(season, user, "enter", {"slug": f"one-{number}"})
        act(season, user, "close")
        act(season, user, "start")
        play(season)
        act(season, user, "finalise")
        seasons.append(season)
    assert "There is no league yet" in page(visitor(), "/leagues/")
    some_league(*seasons)
    assert 'href="/en/leagues/league/"' in page(visitor(), "/leagues/")
    text = page(visitor(), "/leagues/league/")
    for words in ("Division 2", "Champion:", "promoted from division 2 to 1", "left the league"):
        assert words in text
    assert "relegated from division 1 to 2" in text
    assert re.search(r"stronger than one-3, which went down, with a probability of \d+", text)
    assert 'href="/en/leagues/league/"' in page(visitor(), "/tournaments/s1/")
    assert "S2</a>, Division 2" in page(visitor(), "/bots/one-3/")
    Tournament.objects.update(visibility="private")
    assert visitor().get("/en/leagues/league/").status_code == 404


def test_queries_do_not_grow_with_the_field() -> None:
    for slug, entrants, rounds in (("few", 4, 2), ("many", 12, 4)):
        tournament, _ = started(entrants, "swiss", slug=slug, rounds=rounds)
        play(tournament)
    client = visitor()
    for path in ("feed/", "live/"):
        for slug in ("few", "many"):  # fills the caches
            page(client, f"/tournaments/{slug}/{path}")
        counts = [queries_of(client, f"/tournaments/{slug}/{path}") for slug in ("few", "many")]
        assert counts[0] == counts[1], path
