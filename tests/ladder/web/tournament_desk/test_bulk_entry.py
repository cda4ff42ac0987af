"""An organiser enters a list of bots at once, after a preview of what becomes of each."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from damrak_ladder.bots.models import Bot
from damrak_ladder.tournaments.entry_list import MOST, names_in
from damrak_ladder.tournaments.models import Act, Tournament
from ladder.bot_versions import some_bot
from ladder.ladders import some_ladder
from ladder.tournaments.cups import act, cup, entered_bot, organiser
from ladder.visitors import page, visitor

pytestmark = pytest.mark.usefixtures("database")
ADD = "/organise/tournaments/cup/entrants/add/"


def preview(client: Client, names: str, **more: str) -> str:
    """Return the preview of a list."""
    return client.post(f"/en{ADD}", {"names": names, **more}).content.decode()


def fields(html: str) -> dict[str, str]:
    """Return the fields of the form that confirms a preview."""
    form = html[html.index('name="serial"') - 30 : html.index('name="enter"')]
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: unescape(value) for name, value in found} | {"enter": "1"}


def entered() -> list[str]:
    """Return the entrants in the order of entry."""
    rows = Tournament.objects.get(slug="cup").entrants.order_by("number")
    return list(rows.values_list("bot__slug", flat=True))


def test_names_are_separated_by_lines_commas_and_spaces() -> None:
    assert names_in("a, b\n\tc;a mcts:ms=5,iterations=9,d\r\n") == [
        *("a", "b", "c", "mcts:ms=5,iterations=9", "d")
    ]


def test_list_is_previewed_without_effect_and_entered_once() -> None:
    tournament, user = cup(1)
    entered_bot("canal-rat")
    some_bot("tulip")
    client, acts = visitor(user), Act.objects.count()
    html = preview(client, "canal-rat tulip cup-1 nothing mcts:iterations=3 mcts:moves=3 greedy")
    assert "4 bots would be entered." in html
    assert "3 are left out" in html
    for said in (
        "has no qualified version yet",
        "is entered already",
        "no bot has this name",
        "mcts has no parameter",
        "new house bot",
    ):
        assert said in unescape(html)
    assert Act.objects.count() == acts
    assert not Bot.objects.filter(slug__startswith="house-").exists()
    for _ in range(2):  # the same confirmation twice
        answer = client.post(f"/en{ADD}", fields(html), follow=True)
        assert answer.status_code == 200
        assert entered() == [
            "cup-1",
            "canal-rat",
            "tulip",
            "house-mcts-iterations-3",
            "house-greedy",
        ]
    assert Act.objects.count() == acts + 4
    tournament.refresh_from_db()
    assert tournament.serial == acts + 4


def test_list_is_entered_as_a_whole_or_not_at_all() -> None:
    tournament, user = cup(1)
    for name in ("canal-rat", "tulip"):
        entered_bot(name)
    client = visitor(user)
    html = preview(client, "canal-rat tulip")
    act(tournament, user, "enter", {"slug": "tulip"}, reason="It came by mail.")
    html = client.post(f"/en{ADD}", fields(html)).content.decode()
    assert "This happened meanwhile" in html
    assert "It came by mail." in html
    assert entered() == ["cup-1", "tulip"]
    client.post(f"/en{ADD}", fields(html))
    assert entered() == ["cup-1", "tulip", "canal-rat"]


def test_guests_and_bots_beyond_the_places_are_announced() -> None:
    _, user = cup(2, entry={"most": 2, "kinds": ["uploaded"]})
    entered_bot("canal-rat")
    client = visitor(user)
    html = preview(client, "canal-rat", guest="on")
    assert "Afterwards 3 bots are entered, more than the 2 places." in html
    assert "authors may not enter this kind of bot" in html
    answer = client.post(f"/en{ADD}", fields(html)).content.decode()
    assert "All places are taken. Maximum: 2." in answer
    assert entered() == ["cup-1", "cup-2"]
    client.post(f"/en{ADD}", fields(answer) | {"beyond": "on"})
    assert Tournament.objects.get().entrants.get(bot__slug="canal-rat").is_guest


def test_list_is_filled_with_the_bots_of_a_ladder_or_another_tournament() -> None:
    some_ladder(slug="blitz")
    _, user = cup(3, slug="spring")
    cup(1)
    client = visitor(user)
    act(Tournament.objects.get(slug="spring"), user, "withdraw", {"entrant": 1})
    Tournament.objects.update(owner=user)
    html = page(client, f"{ADD}?source=tournament:spring&first=")
    assert "The list below has 2 bots." in html
    assert "spring-2\nspring-3</textarea>" in html
    assert "spring-3" not in page(client, f"{ADD}?source=tournament:spring&first=1")
    assert "The list below has 0 bots." in page(client, f"{ADD}?source=ladder:blitz")
    assert "Select a valid choice" in page(client, f"{ADD}?source=ladder:nothing")


def test_long_lists_and_forged_confirmations_are_refused() -> None:
    _, user = cup(1)
    client = visitor(user)
    html = preview(client, "\n".join(f"bot-{number}" for number in range(MOST + 1)))
    assert f"enter at most {MOST} at once" in html
    for said in ({}, {"serial": "x", "key": "k"}, {"serial": "1", "key": "\0"}):
        answer = client.post(f"/en{ADD}", {"names": "cup-1", "enter": "1", **said})
        assert answer.status_code == 404
    assert "no bot has this name" in preview(client, "mcts:ms=999999999,iterations=999999999")


def test_page_belongs_to_organisers_while_bots_can_enter() -> None:
    tournament, user = cup(2)
    page(visitor(organiser("oscar")), ADD, status=404)
    client = visitor(user)
    assert ADD in page(client, "/organise/tournaments/cup/")
    act(tournament, user, "close")
    act(tournament, user, "cancel")
    assert client.get(f"/en{ADD}").status_code == 302


def test_preview_takes_the_same_queries_for_any_number_of_bots() -> None:
    _, user = cup(1)
    for number in range(6):
        entered_bot(f"bot-{number}")
    client = visitor(user)
    preview(client, "bot-0")
    counts = []
    for count in (2, 6):
        with CaptureQueriesContext(connection) as captured:
            preview(client, " ".join(f"bot-{number}" for number in range(count)))
        counts.append(len(captured))
    assert counts[0] == counts[1]
