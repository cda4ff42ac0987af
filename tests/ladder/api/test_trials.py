"""Tests between versions, canaries, and the queue in the API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import override_settings

from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.bots.submission import create_bot
from damrak_ladder.matches.ladders import LadderPlan, create_ladder
from ladder.bot_versions import some_bot, some_version
from ladder.calls import MEMORY, Program, problem_of
from ladder.people import NOW, somebody


@pytest.fixture(autouse=True)
def _in_memory() -> Iterator[None]:
    with override_settings(CACHES=MEMORY):
        yield


@pytest.fixture
def ann(database: None) -> Program:
    """Return the owner of the bot stan, with three qualified versions, on the ladder amsterdam."""
    bot = some_bot("stan", "ann")
    first = some_version(bot, "stan/1", Kind.UPLOADED)
    for number in (2, 3):
        some_version(bot, f"stan/{number}", Kind.UPLOADED)
    promote(bot.pk, None, first.pk, NOW)
    create_ladder(LadderPlan("amsterdam", "Amsterdam", ("amsterdam",), {2: 1.0}), NOW)
    return Program(bot.owner)


def said(answer: HttpResponse, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return json.loads(answer.content)


def order(version: int = 2, against: int | None = 1, **more: Any) -> dict[str, Any]:
    return {
        "candidate": {"bot": "stan", "version": version},
        "baseline": {"bot": "stan", "version": against},
        **more,
    }


def test_a_test_is_started_shown_and_ended(ann: Program) -> None:
    trial = said(ann.post("trials", order(elo1=20, most=100)), 201)
    assert (trial["state"], trial["blocks"], trial["lead"]) == ("running", 0, None)
    assert trial["lower"] < 0 < trial["upper"]
    assert trial["ladder"] == "amsterdam"
    assert said(ann.get(f"trials/{trial['id']}")) == trial
    assert said(ann.get("trials")) == [trial]
    assert said(ann.post(f"trials/{trial['id']}/cancel"))["state"] == "cancelled"
    assert said(ann.post(f"trials/{trial['id']}/cancel"))["state"] == "cancelled"


def test_a_test_against_what_is_live(ann: Program) -> None:
    trial = said(ann.post("trials", order(3, None)), 201)
    assert trial["baseline"] == {"bot": "stan", "version": 1}


def test_tests_that_cannot_be(ann: Program) -> None:
    problem_of(ann.post("trials", order(2, 2)), 409, "not-playable")
    problem_of(ann.post("trials", order(2, 9)), 404, "not-found")
    problem_of(ann.post("trials", order(ladder="nowhere")), 404, "not-found")
    problem_of(ann.post("trials", order(elo0=10, elo1=10)), 422, "bad-bounds")
    problem_of(ann.post("trials", order(alpha=0.9)), 422, "invalid")
    problem_of(ann.post("trials", order(elo1="much")), 422, "invalid")
    create_bot(somebody("bob"), "rival", "Rival", NOW)
    against = order() | {"baseline": {"bot": "rival"}}
    problem_of(ann.post("trials", against), 404, "not-found")


def test_tests_are_their_owners_business(ann: Program) -> None:
    trial = said(ann.post("trials", order()), 201)
    bob = Program(somebody("bob"))
    problem_of(bob.post("trials", order()), 403, "not-yours")
    problem_of(bob.get(f"trials/{trial['id']}"), 404, "not-found")
    problem_of(bob.post(f"trials/{trial['id']}/cancel"), 404, "not-found")
    assert said(bob.get("trials")) == []
    problem_of(Program().get("trials"), 401, "token-needed")


def test_limit_of_concurrent_tests(ann: Program) -> None:
    status = 201
    for _ in range(100):
        if status == 201:
            status = ann.post("trials", order()).status_code
    assert status == 409


def test_a_canary_is_started_and_cancelled(ann: Program) -> None:
    version = Version.objects.get(bot__slug="stan", number=2)
    path = f"versions/{version.pk}/canaries"
    assert said(ann.get(path)) == []
    (canary,) = said(ann.post(path, {"blocks": 10}))
    assert (canary["ladder"], canary["state"], canary["most"]) == ("amsterdam", "running", 10)
    assert (canary["played"], canary["elo"]) == (0, None)
    assert [said(ann.post(path, {"blocks": it}))[0]["most"] for it in (30.0, 20)] == [30, 30]
    assert said(ann.delete(path))[0]["state"] == "cancelled"
    problem_of(Program(somebody("bob")).post(path), 403, "not-yours")


def test_the_queue_is_for_all_to_see(ann: Program) -> None:
    queue = said(Program().get("queue"))
    assert (queue["running_count"], queue["running"], queue["hosts"]) == (0, [], 0)
