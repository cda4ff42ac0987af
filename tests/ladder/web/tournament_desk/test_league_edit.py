"""Organisers edit the texts of a league on a page."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from damrak_ladder.tournaments.league_changes import change_league
from damrak_ladder.tournaments.models import League, Tournament
from ladder.people import NOW
from ladder.tournaments.cups import cup, organiser, some_league
from ladder.visitors import page, visitor
from ladder.web.tournament_desk.test_creation_pages import Fields

pytestmark = pytest.mark.usefixtures("database")
PATH = "/organise/leagues/league/"


@pytest.fixture
def league(database: None) -> League:
    return some_league(cup(2, slug="canals-1")[0])


def test_texts_are_changed_and_the_change_is_listed(league: League) -> None:
    client = visitor(league.owner)
    for path in ("/leagues/league/", "/organise/tournaments/canals-1/"):
        assert f'href="/en{PATH}"' in page(client, path)
    assert "The texts have not been changed yet." in page(client, PATH)
    said = Fields(page(client, PATH)).values
    assert (said["name"], said["summary"], said["serial"]) == ("The League", "", "0")
    said |= {"name": "Canals", "summary": "Eight <bots>."}
    html = client.post(f"/en{PATH}", said, follow=True).content.decode()
    for text in ("The league is changed.", "<h1>Canals</h1>", "Eight &lt;bots&gt;."):
        assert text in html
    html = page(client, PATH)
    for text in ("The League", "Eight &lt;bots&gt;.", league.owner.username):
        assert f'<td class="break">{text}</td>' in html
    said = Fields(html).values
    html = client.post(f"/en{PATH}", said, follow=True).content.decode()
    assert "Nothing differs" in html
    assert league.changes.count() == 1


def test_errors_are_shown_beside_the_texts_that_were_sent(league: League) -> None:
    client = visitor(league.owner)
    for name, problem in (
        ("", "errorlist"),
        ("x" * 61, "errorlist"),
        ("a\u202eb", "cannot be printed"),
    ):
        said = {"name": name, "summary": "Kept text", "serial": "0"}
        html = client.post(f"/en{PATH}", said).content.decode()
        assert problem in html
        assert 'value="Kept text"' in html
    assert not league.changes.exists()
    assert client.post(f"/en{PATH}", {"name": "Canals"}).status_code == 404


def test_a_change_made_meanwhile_is_not_overwritten(league: League) -> None:
    client = visitor(league.owner)
    said = Fields(page(client, PATH)).values | {"name": "Mine", "summary": "My text"}
    change_league(league, league.owner, 0, {"name": "Theirs"}, NOW)
    html = client.post(f"/en{PATH}", said).content.decode()
    assert "Nothing was changed" in html
    assert "My text" in html
    shown = Fields(html).values
    assert (shown["name"], shown["summary"], shown["serial"]) == ("Theirs", "", "1")
    league.refresh_from_db()
    assert (league.name, league.summary) == ("Theirs", "")
    client.post(f"/en{PATH}", shown | {"summary": "My text"})
    league.refresh_from_db()
    assert (league.name, league.summary) == ("Theirs", "My text")


def test_others_find_no_page_and_no_link(league: League) -> None:
    other = visitor(organiser("other"))
    assert f'href="/en{PATH}"' not in page(other, "/leagues/league/")
    said = {"name": "Mine", "serial": "0"}
    for client, status in ((other, 404), (visitor(), 302)):
        assert client.get(f"/en{PATH}").status_code == status
        assert client.post(f"/en{PATH}", said).status_code == status
    Tournament.objects.update(visibility="private")
    assert other.get(f"/en{PATH}").status_code == 404
    assert other.get("/en/leagues/league/").status_code == 404
    assert visitor(league.owner).get(f"/en{PATH}").status_code == 200
    assert not league.changes.exists()


def test_more_changes_take_no_more_queries(league: League) -> None:
    client = visitor(league.owner)
    counts = []
    for serial in range(25):
        change_league(league, league.owner, serial, {"name": f"League {serial}"}, NOW)
        if serial in (0, 24):
            page(client, PATH)
            with CaptureQueriesContext(connection) as captured:
                html = page(client, PATH)
            counts.append(len(captured))
    assert counts[0] == counts[1]
    assert html.count('<th scope="row">') == 10
