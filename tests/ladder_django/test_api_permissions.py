"""What each request takes: every one of the interface for programs, with every kind of token.

A request that nobody has decided about fails, and so does a decision about none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import override_settings
from django.utils import timezone

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.api.application import api
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import BlockState, Ladder, Seat
from damrak_ladder.trials.models import Trial, TrialState
from damrak_ladder.trials.sequential import Bounds, start
from ladder_django.calls import MEMORY, Program
from ladder_django.sites import fill

# What a token may do depends on no database.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@dataclass(frozen=True)
class Decision:
    """Which scope a request takes, and whether it is about what is somebody's own."""

    scope: Scope | None
    is_own: bool = False
    body: Any = None


OPEN: Final = Decision(None)
READ: Final = Decision(Scope.READ)
READ_OWN: Final = Decision(Scope.READ, is_own=True)


def submit(body: Any = None, *, is_own: bool = True) -> Decision:
    return Decision(Scope.SUBMIT, is_own, body)


SEAT: Final = "/matches/{int:match_id}/seats/{int:seat}"
BOT: Final = "/bots/{slug:slug}"
VERSION: Final = "/versions/{int:version_id}"
TEST: Final = {"candidate": {"bot": "canal-rat", "version": 2}, "baseline": {"bot": "gable"}}

DECISIONS: Final = {
    **dict.fromkeys(("GET /", "GET /key", "GET /ladders", "GET /bots", "GET /queue"), OPEN),
    **dict.fromkeys(("GET /ladders/{slug:slug}", "GET /ladders/{slug:slug}/ratings"), OPEN),
    **dict.fromkeys(("GET /matches/{int:match_id}", "GET /matches/{int:match_id}/replay"), OPEN),
    "GET /matches/{int:match_id}/analysis": OPEN,
    "POST /matches/{int:match_id}/analysis": OPEN,
    "GET /hosts": OPEN,
    "GET /runtime": OPEN,
    **dict.fromkeys((f"GET {BOT}", f"GET {BOT}/versions", f"GET {VERSION}"), OPEN),
    "POST /device": Decision(None, body={"name": "x"}),
    "POST /device/token": Decision(None, body={"device_code": "x"}),
    "GET /me": READ,
    "DELETE /me/token": READ,
    "GET /trials": READ,
    **dict.fromkeys((f"GET {SEAT}/log", f"GET {SEAT}/bundle"), READ_OWN),
    **dict.fromkeys((f"GET {VERSION}/steps", f"GET {VERSION}/failures"), READ_OWN),
    f"GET {VERSION}/canaries": READ_OWN,
    "GET /trials/{int:trial_id}": READ_OWN,
    "POST /bots": submit({"slug": "another"}, is_own=False),
    f"POST {BOT}/versions": submit(),
    f"POST {BOT}/live": submit({"version": 2}),
    "POST /trials": submit(TEST),
    "POST /trials/{int:trial_id}/cancel": submit(),
    f"POST {VERSION}/canaries": submit({}),
    f"DELETE {VERSION}/canaries": submit(),
    f"POST {BOT}/remote": Decision(Scope.PLAY, is_own=True, body={"software": "x 1"}),
    f"POST {BOT}/token": Decision(Scope.PLAY, is_own=True),
    f"DELETE {BOT}/token": Decision(Scope.PLAY, is_own=True),
}

FOR_OTHERS: Final = frozenset(
    {
        *(f"{method} {VERSION}/canaries" for method in ("POST", "DELETE")),
        "POST /trials/{int:trial_id}/cancel",
    }
)
"""What staff may do with what is not theirs, with a token that says so."""


def requests() -> Iterator[str]:
    for _, router in api._routers:
        for path, view in router.path_operations.items():
            for operation in view.operations:
                yield from (f"{method} {path}" for method in operation.methods)


@pytest.fixture
def values(database: None) -> Iterator[dict[str, str]]:
    now = timezone.now()
    fill(now, blocks=2, replays=2)
    version = Version.objects.get(bot__slug="canal-rat", number=2)
    seat = Seat.objects.filter(match__block__state=BlockState.RECORDED).earliest("pk")
    Seat.objects.filter(pk=seat.pk).update(version=version)
    other = Version.objects.get(bot__slug="canal-rat", number=1)
    ladder = Ladder.objects.get(slug="amsterdam")
    trial = start(version.bot.owner, version, other, ladder, Bounds(), now - timedelta(hours=1))
    given = {"match_id": seat.match_id, "seat": seat.number, "version_id": version.pk}
    given |= {"trial_id": trial.pk}
    with override_settings(CACHES=MEMORY):
        yield {f"{{int:{name}}}": str(value) for name, value in given.items()}


def ask(
    program: Program, request: str, values: dict[str, str], *, undo: bool = True
) -> HttpResponse:
    method, _, path = request.partition(" ")
    for name, value in values.items():
        path = path.replace(name, value)
    path = path.removeprefix("/").replace("{slug:slug}", _slug(path))
    with transaction.atomic():
        body = DECISIONS[request].body
        answer = program.post(path, body) if method == "POST" else _others(program, method, path)
        transaction.set_rollback(undo)
    return answer


def _slug(path: str) -> str:
    return "amsterdam" if path.startswith("/ladders") else "canal-rat"


def _others(program: Program, method: str, path: str) -> HttpResponse:
    return program.get(path) if method == "GET" else program.delete(path)


@pytest.mark.usefixtures("database")
def test_somebody_has_decided_about_every_request() -> None:
    assert sorted(requests()) == sorted(DECISIONS)


def test_every_request_takes_the_scope_that_was_decided(values: dict[str, str]) -> None:
    ada = User.objects.get(username="ada")
    nobody = Program()
    without = {
        scope: Program(ada, tuple(other for other in Scope if other != scope)) for scope in Scope
    }
    for request, decision in DECISIONS.items():
        answer = ask(nobody, request, values)
        assert (answer.status_code == 401) == (decision.scope is not None), (request, answer)
        if decision.scope is not None:
            answer = ask(without[decision.scope], request, values)
            assert answer.status_code == 403, (request, answer)
            assert b"scope-missing" in answer.content, (request, answer.content)


def test_what_is_somebodys_own_is_nobody_elses(values: dict[str, str]) -> None:
    ada, bo, sam = (
        Program(User.objects.get(username=name), (Scope.READ, Scope.SUBMIT, Scope.PLAY))
        for name in ("ada", "bo", "sam")
    )
    for request, decision in DECISIONS.items():
        if not decision.is_own:
            continue
        answer = ask(bo, request, values)
        assert answer.status_code in (403, 404), (request, answer.content)
        assert b"canal-rat v" not in answer.content, request
        mine = ask(ada, request, values)
        assert mine.status_code not in (401, 403), (request, mine.content)
        theirs = ask(sam, request, values)
        is_shown = decision.scope == Scope.READ
        assert (theirs.status_code in (403, 404)) != is_shown or mine.status_code == 404, request


def test_staff_acts_for_others_with_a_token_that_says_so_only(values: dict[str, str]) -> None:
    sam = User.objects.get(username="sam")
    every = Program(sam, tuple(Scope))
    for request in FOR_OTHERS:
        assert ask(every, request, values).status_code == 200, request
    bo = Program(User.objects.get(username="bo"), tuple(Scope))
    for request in FOR_OTHERS:
        assert ask(bo, request, values, undo=False).status_code in (403, 404), request
    assert Trial.objects.get().state == TrialState.RUNNING
