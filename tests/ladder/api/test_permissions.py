"""The permissions of every API request, with every kind of token.

A request without a stated permission fails, and so does a permission without a request.
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

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.api.application import api
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import BlockState, Ladder, Seat
from damrak_ladder.tournaments.creation import Plan, create
from damrak_ladder.tournaments.desk import Request, perform
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.trials.models import Trial, TrialState
from damrak_ladder.trials.trials import Bounds, start
from ladder.calls import MEMORY, Program
from ladder.sites import fill_recently

# The permissions of a token do not depend on the database.
pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@dataclass(frozen=True)
class Decision:
    """The scope that a request requires, and whether it is restricted to the user's own objects.

    `wider` is another scope that permits it, too.
    """

    scope: Scope | None
    is_own: bool = False
    body: Any = None
    wider: Scope | None = None


OPEN: Final = Decision(None)
READ: Final = Decision(Scope.READ)
SETTINGS: Final = Decision(Scope.SETTINGS)
ORGANISE: Final = Decision(Scope.ORGANISE)
PLAY: Final = Decision(Scope.PLAY)
TABLE: Final = "/play/tables/{str:code}"
MINE: Final = (
    *("tokens", "notices", "notices/undelivered", "notice-rules", "webhook"),
    *("follows", "sessions", "predictions", "forecaster"),
)
READ_OWN: Final = Decision(Scope.READ, is_own=True)


def submit(body: Any = None, *, is_own: bool = True) -> Decision:
    return Decision(Scope.SUBMIT, is_own, body)


def run(body: Any) -> Decision:
    return Decision(Scope.TOURNAMENTS_RUN, body=body, wider=Scope.ORGANISE)


SEAT: Final = "/matches/{int:match_id}/seats/{int:seat}"
BOT: Final = "/bots/{slug:slug}"
HOOK: Final = "/me/webhooks/{int:endpoint_id}"
PUZZLE: Final = "/puzzles/{int:puzzle_id}"
VERSION: Final = "/versions/{int:version_id}"
CUP: Final = "/tournaments/{slug:slug}"
CUP_PATHS: Final = (*("", "/entrants", "/rounds/{int:number}", "/standings", "/export", "/trf"),)
TEST: Final = {"candidate": {"bot": "canal-rat", "version": 2}, "baseline": {"bot": "gable"}}

DECISIONS: Final = {
    **dict.fromkeys(("GET /", "GET /key", "GET /ladders", "GET /bots", "GET /queue"), OPEN),
    **dict.fromkeys(("GET /ladders/{slug:slug}", "GET /ladders/{slug:slug}/ratings"), OPEN),
    **dict.fromkeys(("GET /matches/{int:match_id}", "GET /matches/{int:match_id}/replay"), OPEN),
    "GET /matches/{int:match_id}/analysis": OPEN,
    "POST /matches/{int:match_id}/analysis": OPEN,
    "GET /hosts": OPEN,
    "GET /stream": OPEN,
    f"GET {CUP}/feed": OPEN,
    "GET /tournaments": OPEN,
    **{f"GET {CUP}{path}": OPEN for path in CUP_PATHS},
    "POST /tournaments": run({"slug": "x", "name": "X", "rules": {}}),
    f"POST {CUP}/next-season": run({"dry_run": True}),
    f"POST {CUP}/acts": run({"kind": "pause", "dry_run": True}),
    **dict.fromkeys(
        (f"GET {CUP}/{name}" for name in ("verification", "collusion", "alerts")), run(None)
    ),
    f"POST {CUP}/entries": run({"bots": ["gable"], "dry_run": True}),
    "POST /forecast": run({"rules": {"stages": [{"format": "swiss"}]}, "entrants": 2}),
    f"GET {CUP}/organisers": run(None),
    **dict.fromkeys(
        (f"{verb} {CUP}/organisers/{{str:name}}" for verb in ("PUT", "DELETE")), run({})
    ),
    f"POST {CUP}/invitation": run({}),
    f"GET {CUP}/cross-table": OPEN,
    **dict.fromkeys(("GET /predictions/coming", "GET /notable-games"), OPEN),
    "GET /featured-games": OPEN,
    **dict.fromkeys((f"GET {CUP}/chances", "GET /leagues", "GET /leagues/{slug:slug}"), OPEN),
    "PATCH /leagues/{slug:slug}": run({"name": "X"}),
    **dict.fromkeys(("GET /highlights", "GET /records", "GET /predictions", "GET /play"), OPEN),
    "PUT /matches/{int:match_id}/prediction": Decision(Scope.SETTINGS, body={"seat": 0}),
    **dict.fromkeys(("GET /play/tables", f"GET {TABLE}"), READ),
    "POST /play/tables": Decision(Scope.PLAY, body={"opponents": ["greedy"], "board": "x"}),
    f"POST {TABLE}/answers": Decision(Scope.PLAY, body={"decision": 0, "action": 0}),
    f"POST {TABLE}/advice": Decision(Scope.PLAY, body={"kind": "hint"}),
    **dict.fromkeys((f"POST {TABLE}/{name}" for name in ("join", "back", "leave")), PLAY),
    "PUT /users/{str:name}/role": Decision(Scope.ROLES, body={"role": "author"}),
    f"POST {CUP}/entrants": submit({"bot": "canal-rat"}),
    f"DELETE {CUP}/entrants/{{slug:bot}}": submit(),
    "GET /runtime": OPEN,
    **dict.fromkeys((f"GET {BOT}", f"GET {BOT}/versions", f"GET {VERSION}"), OPEN),
    "POST /device": Decision(None, body={"name": "x"}),
    "POST /device/token": Decision(None, body={"device_code": "x"}),
    "GET /me": READ,
    "DELETE /me/token": READ,
    "GET /trials": READ,
    **dict.fromkeys((f"GET {SEAT}/{name}" for name in ("log", "bundle", "times")), READ_OWN),
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
    **dict.fromkeys(("GET /matches", "GET /blocks", "GET /blocks/{int:block_id}"), OPEN),
    "GET /blocks/{int:block_id}/divergences": OPEN,
    "GET /matches/{int:match_id}/faults": OPEN,
    **dict.fromkeys((f"GET {BOT}/{name}" for name in ("ladders", "promotions", "faults")), OPEN),
    **dict.fromkeys((f"GET {VERSION}/ratings", f"GET {VERSION}/history"), OPEN),
    f"GET {VERSION}/opponents": OPEN,
    f"GET {VERSION}/opponents/{{int:opponent_id}}": OPEN,
    f"GET {VERSION}/opponents/{{int:opponent_id}}/common": OPEN,
    **dict.fromkeys((f"GET {VERSION}/profile", f"GET {BOT}/stories", f"GET {BOT}/trophies"), OPEN),
    **dict.fromkeys(("GET /status", f"GET {CUP}/rule-changes"), OPEN),
    "PUT /me/results": Decision(Scope.SETTINGS, body={"hidden": True}),
    "GET /ladders/{slug:slug}/matrix": OPEN,
    **dict.fromkeys((f"GET /ladders/{{slug:slug}}/{name}" for name in ("knockout", "fit")), OPEN),
    "GET /authors/{str:name}": OPEN,
    "GET /search": OPEN,
    f"PUT {BOT}/ladders/{{slug:ladder}}": submit(),
    f"DELETE {BOT}/ladders/{{slug:ladder}}": submit(),
    f"POST {VERSION}/qualify": submit(),
    **dict.fromkeys((f"GET /me/{name}" for name in MINE), READ),
    **dict.fromkeys(("DELETE /me/webhook", "POST /me/webhook/test"), SETTINGS),
    "POST /me/webhook/secret": SETTINGS,
    "GET /me/webhooks": READ,
    "POST /me/webhooks": Decision(Scope.SETTINGS, body={"url": "https://example.org/"}),
    **dict.fromkeys((f"GET {HOOK}", f"GET {HOOK}/deliveries"), READ),
    f"DELETE {HOOK}": SETTINGS,
    **dict.fromkeys(
        (f"POST {HOOK}/{name}" for name in ("secret", "disable", "enable", "test")), SETTINGS
    ),
    f"POST {HOOK}/deliveries/{{int:delivery_id}}/replay": SETTINGS,
    "PUT /me/webhook": Decision(Scope.SETTINGS, body={"url": "https://example.org/"}),
    "PUT /me/notice-rules": Decision(Scope.SETTINGS, body=[]),
    "PUT /me/language": Decision(Scope.SETTINGS, body={"language": "nl"}),
    "POST /me/notices/read": SETTINGS,
    **dict.fromkeys(
        (f"{method} /me/follows/{{str:subject}}/{{str:name}}" for method in ("PUT", "DELETE")),
        SETTINGS,
    ),
    "DELETE /me/sessions/{int:session_id}": SETTINGS,
    **dict.fromkeys(("GET /puzzles", "GET /puzzles/day", f"GET {PUZZLE}"), OPEN),
    f"POST {PUZZLE}/answers": Decision(None, body={"choice": 1}),
    f"GET {BOT}/people": OPEN,
    f"PUT {BOT}/people": submit({"is_open": True}),
    "DELETE /me/tokens/{int:token_id}": SETTINGS,
    **dict.fromkeys(
        ("GET /users", "GET /users/{str:name}", "GET /security-log", "GET /hosts/{str:name}"),
        ORGANISE,
    ),
    "POST /blocks/{int:block_id}/requeue": ORGANISE,
    "POST /hosts/{str:name}/trust": ORGANISE,
}

FOR_OTHERS: Final = frozenset(
    {
        *(f"{method} {VERSION}/canaries" for method in ("POST", "DELETE")),
        "POST /trials/{int:trial_id}/cancel",
    }
)
"""Permissions of staff for objects of others, with a token of that scope."""


def requests() -> Iterator[str]:
    for _, router in api._routers:
        for path, view in router.path_operations.items():
            for operation in view.operations:
                yield from (f"{method} {path}" for method in operation.methods)


@pytest.fixture
def values(database: None) -> Iterator[dict[str, str]]:
    now = fill_recently(blocks=2, replays=2)
    version = Version.objects.get(bot__slug="canal-rat", number=2)
    seat = Seat.objects.filter(match__block__state=BlockState.RECORDED).earliest("pk")
    Seat.objects.filter(pk=seat.pk).update(version=version)
    other = Version.objects.get(bot__slug="canal-rat", number=1)
    ladder = Ladder.objects.get(slug="amsterdam")
    trial = start(version.bot.owner, version, other, ladder, Bounds(), now - timedelta(hours=1))
    given = {"match_id": seat.match_id, "seat": seat.number, "version_id": version.pk}
    given |= {"trial_id": trial.pk, "block_id": seat.match.block_id, "opponent_id": other.pk}
    given |= {"token_id": 1, "number": 1, "endpoint_id": 1, "delivery_id": 1}
    given |= {"session_id": 1, "puzzle_id": 1}
    rules = {"stages": [{"format": "swiss"}], "boards": ["practice"]}
    cup = create(User.objects.get(username="sam"), Plan("cup", "Cup", rules), now, is_platform=True)
    perform(cup, Request(Kind.OPEN), now)
    with override_settings(CACHES=MEMORY):
        texts = {"{slug:ladder}": "amsterdam", "{str:name}": "quay-2", "{str:code}": "x"} | {
            "{str:subject}": "bot"
        }
        yield {f"{{int:{name}}}": str(value) for name, value in given.items()} | texts


def ask(
    program: Program, request: str, values: dict[str, str], *, undo: bool = True
) -> HttpResponse:
    method, _, path = request.partition(" ")
    for name, value in values.items():
        path = path.replace(name, value)
    path = path.removeprefix("/").replace("{slug:slug}", _slug(path))
    path = path.replace("{slug:bot}", "canal-rat")
    with transaction.atomic():
        body = DECISIONS[request].body
        answer = _sent(program, method, path, body)
        transaction.set_rollback(undo)
    return answer


def _slug(path: str) -> str:
    if path.startswith("/tournaments"):
        return "cup"
    return "amsterdam" if path.startswith("/ladders") else "canal-rat"


def _sent(program: Program, method: str, path: str, body: Any) -> HttpResponse:
    if method in ("POST", "PUT", "PATCH"):
        return getattr(program, method.lower())(path, body)  # type: ignore[no-any-return]
    return program.get(path) if method == "GET" else program.delete(path)


@pytest.mark.usefixtures("database")
def test_every_request_has_a_stated_scope() -> None:
    assert sorted(requests()) == sorted(DECISIONS)


def test_every_request_takes_the_scope_that_was_decided(values: dict[str, str]) -> None:
    ada = User.objects.get(username="ada")
    nobody = Program()
    without = {
        taken: Program(ada, tuple(one for one in Scope if one not in taken))
        for taken in {(decision.scope, decision.wider) for decision in DECISIONS.values()}
    }
    for request, decision in DECISIONS.items():
        answer = ask(nobody, request, values)
        assert (answer.status_code == 401) == (decision.scope is not None), (request, answer)
        if decision.scope is not None:
            answer = ask(without[decision.scope, decision.wider], request, values)
            assert answer.status_code == 403, (request, answer)
            assert b"scope-missing" in answer.content, (request, answer.content)
        if decision.wider is not None:
            answer = ask(without[decision.wider, None], request, values)
            assert b"scope-missing" not in answer.content, request


@pytest.mark.process
def test_own_objects_are_private(values: dict[str, str]) -> None:
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


def test_staff_acts_for_others_only_with_that_scope(values: dict[str, str]) -> None:
    sam = User.objects.get(username="sam")
    every = Program(sam, tuple(Scope))
    for request in FOR_OTHERS:
        assert ask(every, request, values).status_code == 200, request
    bo = Program(User.objects.get(username="bo"), tuple(Scope))
    for request in FOR_OTHERS:
        assert ask(bo, request, values, undo=False).status_code in (403, 404), request
    assert Trial.objects.get().state == TrialState.RUNNING
