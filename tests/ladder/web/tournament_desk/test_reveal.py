"""Rounds are revealed pairing by pairing, and entrants see changes of the rules."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.creation import change_rules
from damrak_ladder.tournaments.log.rules import rules_json
from damrak_ladder.tournaments.models import Tournament
from ladder.people import NOW
from ladder.tournaments.cups import cup, play, started
from ladder.visitors import page, visitor
from ladder.web.tournament_desk.test_desk import confirm

pytestmark = pytest.mark.usefixtures("database")
REVEAL = "/organise/tournaments/cup/reveal/0/1/"


def press(client: Client, button: str) -> str:
    """Press a button of the page; return the page that follows."""
    html = page(client, REVEAL)
    form = next(one for one in re.findall(r"<form.*?</form>", html, re.DOTALL) if button in one)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    answer = client.post(f"/en{REVEAL}", fields, follow=True)
    client.post(f"/en{REVEAL}", fields)  # a second press of the same button
    return answer.content.decode()


def public_results() -> int:
    """Return the number of pairings whose result a visitor sees."""
    html = page(visitor(), "/tournaments/cup/rounds/0/1/")
    return html.count('id="t') - html.count('<span class="tag">not released</span>')


def test_pairings_are_revealed_one_by_one_with_a_step_back() -> None:
    tournament, user = started(6, "swiss", rounds=2, reveal="hidden")
    play(tournament)
    client = visitor(user)
    html = page(client, REVEAL)
    assert "Make the result of table 3 public" in html
    assert "reveal__shown" in html
    assert "<td" not in html  # no result is on the screen
    assert public_results() == 0
    html = press(client, "Make the result of table 3")
    assert "Make the result of table 2 public" in html
    assert html.count("<td") == 2
    assert public_results() == 1
    html = press(client, "Make the result of table 2")
    assert re.findall("Table ([0-9])</span>", html) == ["2", "3"]  # the newest first
    points = re.findall(r'<td class="number">([0-9.]+)</td>', html)
    assert points == ["1", "0", "1", "0"]  # the winner first
    assert public_results() == 2
    html = press(client, "One step back")
    assert "Make the result of table 2 public" in html
    assert public_results() == 1
    for table in (2, 1):
        html = press(client, f"Make the result of table {table}")
    assert "All results of this round are public." in html
    assert public_results() == 3


def test_page_updates_itself_only_until_the_next_result_can_be_shown() -> None:
    tournament, user = started(4, "single-elimination", reveal="hidden")
    client, renews = visitor(user), f'hx-get="/en{REVEAL}"'
    assert renews in page(client, REVEAL)
    play(tournament)
    html = page(client, REVEAL)
    assert "Make the result of table 2 public" in html
    assert "hx-get" not in html.split("<main")[1]
    assert "hx-get" in page(client, REVEAL.replace("/1/", "/2/")).split("<main")[1]
    for table in (2, 1):
        html = press(client, f"Make the result of table {table}")
    assert "hx-get" not in html.split("<main")[1]


def test_round_that_follows_from_hidden_results_stays_off_the_screen() -> None:
    tournament, user = started(4, "single-elimination", reveal="hidden")
    play(tournament)
    html = page(visitor(user), "/organise/tournaments/cup/reveal/0/2/")
    assert "Release the earlier rounds first." in html
    assert "Cup-1" not in html


def test_release_is_planned_in_the_time_zone_of_the_tournament() -> None:
    _, user = started(4, "swiss", rounds=1, reveal="hidden", schedule={"zone": "America/New_York"})
    client = visitor(user)
    path = "/organise/tournaments/cup/acts/plan_release/?stage=0&round=1"
    assert "America/New_York" in page(client, path)
    html = page(client, f"{path}&preview=1&level=public&at=2030-06-01T18:00")
    assert "2030-06-01T18:00:00-04:00" in html
    confirm(client, "plan_release", html)
    planned = journal.state_of(Tournament.objects.get()).planned
    assert planned[0, 1].at.isoformat() == "2030-06-01T18:00:00-04:00"


def test_entrants_see_changed_rules_and_may_leave() -> None:
    tournament, user = cup(2, "swiss", rounds=3)
    path = "/tournaments/cup/rules/"
    assert "have not changed" in page(visitor("cup-1"), path)
    rules = rules_json(journal.state_of(tournament).rules)
    change_rules(tournament, user, rules | {"rotations": 2}, NOW)
    html = page(visitor("cup-1"), path)
    assert re.search(r"Rotations of a block</th><td[^>]*>1</td><td[^>]*>2", html)
    assert "/tournaments/cup/withdraw/cup-1/" in html
    assert "withdraw" not in page(visitor(), path)
