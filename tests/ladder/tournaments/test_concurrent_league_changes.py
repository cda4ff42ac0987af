"""Two organisers edit a league at one moment: one through the API, one on the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import OperationalError, connection

from damrak_ladder.accounts.models import Scope
from damrak_ladder.tournaments.models import League
from ladder.calls import MEMORY, Program
from ladder.concurrent_writes import meddling
from ladder.tournaments.cups import cup, some_league
from ladder.visitors import visitor

ROUNDS = 12
PATH = "/en/organise/leagues/league/"

Edit = Callable[[int], bool]


def not_locked_out(answer: Any) -> Any:
    """Return the answer, unless the database was locked for longer than the site waits."""
    if answer.status_code >= 500:
        raise OperationalError
    return answer


@pytest.fixture
def league(committed: dict[str, str], settings: Any) -> League:
    settings.CACHES = MEMORY
    settings.DAMRAK_NEEDS_SECOND_FACTOR = False
    return some_league(cup(2, slug="canals-1")[0])


@pytest.fixture
def edits(league: League) -> dict[str, Edit]:
    """Return an edit by the API and one by the page, each of which says whether it was made.

    An edit that comes second is refused and learns of the first.
    """
    program = Program(league.owner, (Scope.READ, Scope.ORGANISE))
    client = visitor(league.owner)
    # A client would also raise the exceptions of the other one, of which Django tells both.
    client.raise_request_exception = program.client.raise_request_exception = False

    def by_program(serial: int) -> bool:
        body = {"name": f"API {serial}"}
        answer = not_locked_out(program.patch("leagues/league", body, if_match=f'"{serial}"'))
        if answer.status_code == 200:
            assert answer["ETag"] == f'"{serial + 1}"'
            return True
        assert (answer.status_code, json.loads(answer.content)["serial"]) == (412, serial + 1)
        return False

    def by_page(serial: int) -> bool:
        said = {"name": "", "summary": f"Page {serial}", "serial": str(serial)}
        said["name"] = f"Page {serial}"
        answer = not_locked_out(client.post(PATH, said))
        if answer.status_code == 302:
            return True
        html = answer.content.decode()
        assert answer.status_code == 200
        assert "Nothing was changed" in html
        assert f'value="API {serial}"' in html  # the texts of the other
        assert f'name="serial" value="{serial + 1}"' in html
        return False

    return {"API": by_program, "Page": by_page}


def check(league: League, winners: list[str]) -> None:
    """Check that the league and its log are those of these edits, in this order."""
    league.refresh_from_db()
    assert league.serial == len(winners)
    changes = list(league.changes.order_by("serial"))
    assert [one.serial for one in changes] == list(range(1, len(winners) + 1))
    before = "The League"
    for serial, (winner, change) in enumerate(zip(winners, changes, strict=True)):
        assert change.changes["name"] == [before, before := f"{winner} {serial}"]
        assert ("summary" in change.changes) == (winner == "Page")
    assert league.name == before


def test_one_of_two_edits_at_one_moment_is_made(league: League, edits: dict[str, Edit]) -> None:
    winners = []
    both = Barrier(2)

    def attempt(name: str, serial: int) -> bool:
        try:
            both.wait()
            return edits[name](serial)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        for serial in range(ROUNDS):
            made = list(pool.map(attempt, edits, [serial] * 2))
            assert made.count(True) == 1
            [winner] = [name for name, is_made in zip(edits, made, strict=True) if is_made]
            winners.append(winner)
    check(league, winners)


@pytest.mark.parametrize("committed", ["postgresql"], indirect=True)
@pytest.mark.parametrize("first", ["API", "Page"])
@pytest.mark.parametrize("after", range(1, 25, 2))
def test_edit_between_two_statements_is_never_overwritten(
    league: League, edits: dict[str, Edit], first: str, after: int
) -> None:
    [second] = edits.keys() - {first}
    made = {}

    def meddle() -> None:
        made[second] = edits[second](0)

    try:
        with meddling(after, meddle):
            made[first] = edits[first](0)
    except AssertionError:
        if len(made) == 1 and made.get(first):
            pytest.skip("the edit has fewer statements")
        raise
    check(league, [name for name in edits if made.get(name)])
    assert sum(made.values()) == 1
