"""The search finds matches and blocks by their numbers, whole or as headings show them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from damrak_ladder.bots.house import guest_version, house_version
from damrak_ladder.matches.models import Block, Match
from damrak_ladder.time_ordered_ids import ShortForm, having_id, short_form
from damrak_ladder.tournaments.visibility import visible_blocks, visible_matches
from ladder.people import NOW
from ladder.tournaments.cups import play, started
from ladder.visitors import page, visitor

pytestmark = pytest.mark.usefixtures("database")
NOTHING = "000000"


def found(asked: str) -> dict[str, Any]:
    """Return the answer of the API."""
    answer = visitor().get("/api/v1/search", {"q": asked})
    assert answer.status_code == 200
    body: dict[str, Any] = json.loads(answer.content)
    return body


def test_short_numbers_of_headings_are_found() -> None:
    play(started(3)[0])
    block, match = visible_blocks(None).latest("pk"), visible_matches(None).latest("pk")
    for row, kind in ((block, "blocks"), (match, "matches")):
        short = short_form(row.pk)
        for asked in (short, short.lstrip("…"), f"#{short.lstrip('…')}", str(row.pk)):
            assert f"/{kind}/{row.pk}/" in page(
                visitor(), f"/search/?q={asked.replace('#', '%23')}"
            )
            assert row.pk in found(asked)[kind]
        assert found(short.lstrip("…")[1:])[kind] == []


def test_hidden_rows_are_found_like_rows_that_do_not_exist() -> None:
    tournament, user = started(3, reveal="hidden")
    play(tournament)
    expected = page(visitor(), f"/search/?q={NOTHING}")
    for model in (Block, Match):
        hidden = short_form(model._default_manager.latest("pk").pk).lstrip("…")
        assert page(visitor(), f"/search/?q={hidden}").replace(hidden, NOTHING) == expected
        assert found(hidden) == found(NOTHING)
        assert hidden in page(visitor(user), f"/search/?q={hidden}").split("<main")[1]


def test_newest_rows_come_first() -> None:
    play(started(3)[0])
    last = Match.objects.latest("pk").pk
    Match.objects.filter(pk=Match.objects.earliest("pk").pk).update(id=last - 5_000_000)
    rows = having_id(Match.objects.all(), short_form(last))
    assert [one.pk for one in rows] == [last, last - 5_000_000]


@pytest.mark.parametrize("model", [Block, Match])
def test_short_numbers_are_looked_up_in_an_index(model: type[Block] | type[Match]) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
    rows = model._default_manager.alias(short_form=ShortForm("pk")).filter(short_form=123456)
    assert f"{model._meta.model_name}_short_form" in rows.order_by().explain()


def test_stand_ins_for_people_are_not_listed_as_bots() -> None:
    guest_version(1, NOW)
    house_version("greedy", NOW)
    for asked, address in (("house", "/search/?q=house"), ("Guest", "/search/?q=Guest")):
        assert "house-guest" not in page(visitor(), address)
        assert "house-guest" not in str(found(asked))
    assert "house-greedy" in page(visitor(), "/search/?q=house")
    assert "house-guest" not in page(visitor(), "/compare/?a=house")
    theirs = page(visitor(), "/owners/house/")
    assert "house-greedy" in theirs
    assert "house-guest" not in theirs
    for path in ("authors/house", "bots"):
        listed = visitor().get(f"/api/v1/{path}").content.decode()
        assert "house-greedy" in listed
        assert "house-guest" not in listed
