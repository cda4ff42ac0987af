"""Authors enter their bots by form, and withdraw them."""

from __future__ import annotations

import pytest

from damrak_ladder.bots.models import Bot
from damrak_ladder.tournaments.creation import rotate_invitation
from damrak_ladder.tournaments.models import Entrant, Tournament
from ladder.people import somebody
from ladder.tournaments.cups import act, cup, entered_bot, started
from ladder.visitors import page, visitor

pytestmark = pytest.mark.usefixtures("database")
PATH = "/tournaments/cup/enter/"


def author(slug: str = "mine"):
    """Return a visitor with a qualified bot."""
    return visitor(entered_bot(slug).bot.owner)


def entered(tournament: Tournament) -> list[str]:
    rows = Entrant.objects.filter(tournament=tournament, standing="in").order_by("number")
    return list(rows.values_list("bot__slug", flat=True))


def test_own_bot_enters_and_leaves_after_a_confirmation() -> None:
    tournament, _ = cup(1)
    client = author()
    assert PATH in page(client, "/tournaments/cup/")
    assert '<option value="mine"' in page(client, PATH)
    assert entered(tournament) == ["cup-1"]
    answer = client.post(f"/en{PATH}", {"bot": "mine"}, follow=True)
    assert "mine is entered." in answer.content.decode()
    assert entered(tournament) == ["cup-1", "mine"]
    path = "/tournaments/cup/withdraw/mine/"
    assert path in page(client, "/tournaments/cup/")
    assert "leaves the list" in page(client, path)
    assert entered(tournament) == ["cup-1", "mine"]
    answer = client.post(f"/en{path}", follow=True)
    assert "mine is withdrawn." in answer.content.decode()
    assert entered(tournament) == ["cup-1"]
    page(client, path, status=404)


def test_refusals_are_shown_in_the_form() -> None:
    tournament, _ = cup(1, entry={"most": 1})
    client = author()
    answer = client.post(f"/en{PATH}", {"bot": "mine"})
    assert "All places are taken. Maximum: 1." in answer.content.decode()
    answer = client.post(f"/nl{PATH}", {"bot": "mine"})
    assert "Alle plaatsen zijn bezet. Maximum: 1." in answer.content.decode()
    answer = client.post(f"/en{PATH}", {"bot": "cup-1"})  # of another author
    assert answer.status_code == 200
    assert entered(tournament) == ["cup-1"]
    client = visitor(somebody("eve"))
    assert "You have no bot" in page(client, PATH)
    page(client, "/tournaments/cup/withdraw/cup-1/", status=404)
    assert visitor().get(f"/en{PATH}").status_code == 302


def test_entries_are_closed_after_the_start() -> None:
    tournament, _ = started(3)
    assert "Entries are not open" in page(author(), PATH)
    owner = visitor(Bot.objects.get(slug="cup-2").owner)
    assert "loses its open pairings" in page(owner, "/tournaments/cup/withdraw/cup-2/")
    owner.post("/en/tournaments/cup/withdraw/cup-2/")
    assert entered(tournament) == ["cup-1", "cup-3"]


def test_invitation_opens_a_private_tournament() -> None:
    tournament, user = cup(1, visibility="private", entry={"invited": True})
    first = rotate_invitation(tournament)
    client = author()
    page(client, PATH, status=404)
    page(client, f"{PATH}?invitation=wrong", status=404)
    page(client, f"{PATH}?invitation={first}")
    second = rotate_invitation(tournament)
    page(client, f"{PATH}?invitation={first}", status=404)
    assert second in page(client, f"{PATH}?invitation={second}")
    client.post(f"/en{PATH}", {"bot": "mine", "invitation": second})
    assert entered(tournament) == ["cup-1", "mine"]
    page(client, "/tournaments/cup/")
    act(tournament, user, "close")
    page(author("later"), f"{PATH}?invitation={second}", status=404)
