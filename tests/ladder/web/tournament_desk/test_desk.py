"""Organisers run a tournament from its desk: every act is previewed, confirmed, and done once."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from damrak_ladder.bots.models import Bot, Kind, State, Version
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.models import Act, Organiser, Tournament
from ladder.bot_versions import some_version
from ladder.people import somebody
from ladder.tournaments.cups import act, cup, entered_bot, organiser, play, started
from ladder.visitors import page, queries_of, visitor

pytestmark = pytest.mark.usefixtures("database")
DESK = "/organise/tournaments/cup/"


def hidden(html: str) -> dict[str, str]:
    """Return the fields with which a preview is confirmed."""
    form = html[html.index('<form class="form sheet sheet-gap narrow" method="post"') :]
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: unescape(value) for name, value in fields if name != "csrfmiddlewaretoken"}


def confirm(client: Client, kind: str, html: str, **more: Any) -> str:
    """Confirm a preview; return the page that follows."""
    answer = client.post(f"/en{DESK}acts/{kind}/", hidden(html) | more, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_act_is_previewed_without_effect_and_confirmed_once() -> None:
    tournament, user = cup(3)
    client, serial = visitor(user), tournament.serial
    html = page(client, f"{DESK}acts/close/")
    assert "This would change" in html
    assert "cup-2" in html  # whose version is fixed
    tournament.refresh_from_db()
    assert tournament.serial == serial
    said = hidden(html)
    assert "Done: Close entries." in confirm(client, "close", html, reason="It is eight.")
    for _ in range(2):  # the same confirmation twice
        client.post(f"/en{DESK}acts/close/", said | {"reason": "It is eight."})
    tournament.refresh_from_db()
    assert (tournament.serial, tournament.phase) == (serial + 1, "closed")
    assert "It is eight." in page(client, f"{DESK}log/")


def test_stale_confirmation_shows_what_happened_meanwhile() -> None:
    tournament, user = cup(3)
    client = visitor(user)
    html = page(client, f"{DESK}acts/close/")
    act(tournament, user, "withdraw", {"entrant": 3}, reason="It is ill.")
    html = confirm(client, "close", html)
    assert "This happened meanwhile" in html
    assert "It is ill." in html
    assert Tournament.objects.get().phase == "open"
    confirm(client, "close", html)
    assert Tournament.objects.get().phase == "closed"


def test_act_that_would_do_something_else_than_shown_is_shown_again() -> None:
    _, user = cup(2)
    client = visitor(user)
    html = page(client, f"{DESK}acts/close/")
    bot = next(iter(journal.state_of(Tournament.objects.get()).entrants.values())).bot
    live = some_version(Bot.objects.get(pk=bot), spec="mcts", kind=Kind.HOUSE)
    Version.objects.filter(pk=live.pk).update(state=State.QUALIFIED)
    Bot.objects.filter(pk=bot).update(live=live)
    html = confirm(client, "close", html)
    assert "something else than the preview showed" in html
    assert f"v{live.number}" in html
    confirm(client, "close", html)
    entrant = Tournament.objects.get().entrants.get(number=1)
    assert entrant.version_id == live.pk


def test_rulings_need_a_reason_and_can_be_undone() -> None:
    tournament, user = started(4)
    play(tournament)
    client = visitor(user)
    html = page(client, f"{DESK}acts/disqualify/?entrant=1")
    assert "This would change" not in html  # the ruling is missing
    html = page(client, f"{DESK}acts/disqualify/?entrant=1&ruling=award")
    assert "Standings" in html
    assert "needs a reason" in confirm(client, "disqualify", html, reason=" ")
    confirm(client, "disqualify", html, reason="It cheats.", private="on")
    row = Act.objects.order_by("-serial").first()
    assert row is not None
    assert (row.kind, row.is_public, row.reason) == ("disqualify", False, "It cheats.")
    html = page(client, f"{DESK}acts/undo/?undoes={row.serial}")
    assert "It cheats." in html
    confirm(client, "undo", html)
    assert journal.state_of(Tournament.objects.get()).is_in(1)


def test_results_are_set_and_rounds_replayed_from_the_page_of_a_round() -> None:
    tournament, user = started(4, "single-elimination")
    play(tournament)
    client = visitor(user)
    html = page(client, f"{DESK}rounds/0/1/")
    assert "acts/replay_block/?stage=0&amp;round=1&amp;table=1&amp;number=1" in html
    path = f"{DESK}acts/override/?stage=0&round=1&table=1"
    assert "Place of" in page(client, path)
    numbers = journal.state_of(tournament).stages[0].rounds[0].pairings[1].entrants
    html = page(client, f"{path}&place{numbers[0]}=2&place{numbers[1]}=1")
    assert "Pairings that are rolled back" in html
    assert "result that was public stops counting" in html
    confirm(client, "override", html, reason="The clock was wrong.")
    assert len(journal.state_of(Tournament.objects.get()).stages[0].rounds) == 1
    html = page(client, f"{DESK}acts/replay_round/?stage=0&round=1")
    assert "played games do not count any more" in html


def test_manual_seeds_and_pairings_are_given_by_name() -> None:
    tournament, user = cup(4, "swiss", seeding="manual")
    act(tournament, user, "close")
    client = visitor(user)
    path = f"{DESK}acts/arrange/?stage=0&round=1&preview=1&manual="
    assert "No entrant is named nobody." in page(client, f"{path}nobody+cup-1")
    confirm(client, "arrange", page(client, f"{path}cup-1+cup-4%0Acup-2+cup-3"))
    assert "cup-1\ncup-2" in page(client, f"{DESK}acts/start/")
    html = page(client, f"{DESK}acts/start/?preview=1&seeds=cup-3+cup-1+cup-4+cup-2")
    confirm(client, "start", html)
    state = journal.state_of(Tournament.objects.get())
    assert [state.entrants[number].seed for number in (3, 1, 4, 2)] == [1, 2, 3, 4]
    assert state.arrangements[0, 1].manual == ((1, 4), (2, 3))


def test_desk_belongs_to_the_organisers_of_the_tournament() -> None:
    _, user = cup(2)
    other = organiser("oscar")
    for path in ("", "entrants/", "log/", "rules/", "people/", "acts/close/"):
        page(visitor(other), f"{DESK}{path}", status=404)
        page(visitor(somebody(f"eve{len(path)}")), f"{DESK}{path}", status=403)
    client = visitor(user)
    answer = client.post(f"/en{DESK}people/", {"do": "add", "name": "oscar"})
    assert "oscar" in answer.content.decode()
    page(visitor(other), DESK)
    assert (
        "No organiser has this user name."
        in client.post(f"/en{DESK}people/", {"do": "add", "name": "eve0"}).content.decode()
    )
    client.post(f"/en{DESK}people/", {"do": "remove", "name": "oscar"})
    assert not Organiser.objects.exists()
    link = re.search(
        r"<code>(http[^<]+)</code>",
        client.post(f"/en{DESK}people/", {"do": "invite"}).content.decode(),
    )
    assert link is not None
    assert "invitation=" in link[1]
    page(client, f"{DESK}acts/nonsense/", status=404)
    for said in ({}, {"payload": "[]", "serial": "1"}, {"payload": "{}", "serial": "x"}):
        assert client.post(f"/en{DESK}acts/close/", said).status_code == 404


def test_pages_take_the_same_queries_for_any_number_of_entrants() -> None:
    counts = []
    for slug, entrants in (("small", 4), ("large", 6)):
        tournament, user = started(entrants, "swiss", slug, rounds=2)
        play(tournament)
        client = visitor(user)
        at = f"/organise/tournaments/{slug}/"
        paths = ("", "entrants/", "rounds/0/1/", "log/", "acts/disqualify/?entrant=1&ruling=void")
        page(client, at)
        counts.append([queries_of(client, f"{at}{path}") for path in paths])
    assert counts[0] == counts[1]


def test_desk_shows_the_progress_of_the_round_and_what_acts_are_about() -> None:
    tournament, user = started(6, "swiss", rounds=2)
    act(tournament, user, "forfeit", {"round": 1, "table": 2, "entrants": [2]})
    html = page(visitor(user), DESK)
    assert "1 of 3 decided" in html
    assert "Round 1, table 2" in html
    assert re.search(r'href="[^"]*/bots/cup-6/"[^>]*>[^<]*</a>', html)  # the entry of the last bot
    act(tournament, user, "undo", undoes=tournament.serial)
    assert "0 of 3 decided" in page(visitor(user), DESK)


def test_added_bot_is_named_in_the_preview() -> None:
    _, user = cup(2)
    entered_bot("late")
    client = visitor(user)
    html = page(client, f"{DESK}acts/enter/?slug=late")
    assert "late" in html
    confirm(client, "enter", html)
    assert "late" in page(client, f"{DESK}entrants/")
    assert "There is no bot nothing." in page(client, f"{DESK}acts/enter/?slug=nothing")
