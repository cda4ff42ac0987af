"""Conditional requests, and the headers of rate limits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from django.test import override_settings

from damrak_ladder.accounts.models import Role, Scope, User
from damrak_ladder.api import access
from damrak_ladder.matches.models import Entry
from ladder.calls import MEMORY, Program, problem_of
from ladder.people import NOW
from ladder.sites import fill

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
SCOPES = (Scope.READ, Scope.SUBMIT, Scope.SETTINGS)


@pytest.fixture
def ada(database: None) -> Iterator[Program]:
    fill(NOW, blocks=3)
    with override_settings(CACHES=MEMORY):
        yield Program(User.objects.get(username="ada"), SCOPES)


def test_content_that_the_client_has_is_not_sent_again(ada: Program) -> None:
    for path in ("ladders", "matches?limit=1", "me", "bots/canal-rat", "openapi.json"):
        first = ada.get(path)
        again = ada.get(path, if_none_match=first["ETag"])
        assert (again.status_code, again.content) == (304, b""), path
        assert again["ETag"] == first["ETag"]
        assert again.get("Cache-Control") == first.get("Cache-Control")
        weak = f'"x", W/{first["ETag"]}'
        assert ada.get(path, if_none_match=weak).status_code == 304
        assert ada.get(path, if_none_match='"x"').content == first.content


def test_a_change_of_what_was_not_seen_is_refused(ada: Program) -> None:
    seen = ada.get("bots/canal-rat")["ETag"]
    body = {"version": 2}
    refused = ada.post("bots/canal-rat/live", body, if_match='"other"')
    problem_of(refused, 412, "changed")
    assert json.loads(ada.get("bots/canal-rat").content)["live"] == 1
    assert ada.post("bots/canal-rat/live", body, if_match=seen).status_code == 200
    problem_of(ada.post("bots/canal-rat/live", {"version": 1}, if_match=seen), 412, "changed")
    assert ada.post("bots/canal-rat/live", {"version": 1}, if_match="*").status_code == 200


def test_entries_and_rules_are_changed_only_as_seen(ada: Program) -> None:
    here = "bots/canal-rat/ladders"
    seen = ada.get(here)["ETag"]
    assert ada.delete(f"{here}/amsterdam", if_match=seen).status_code == 200
    problem_of(ada.put(f"{here}/amsterdam", if_match=seen), 412, "changed")
    assert Entry.objects.get(bot__slug="canal-rat", ladder__slug="amsterdam").left is not None
    assert ada.put(f"{here}/amsterdam").status_code == 200
    seen = ada.get("me/notice-rules")["ETag"]
    rules = [{"kind": "failed", "channels": ["mail"]}]
    assert ada.put("me/notice-rules", rules, if_match=seen).status_code == 200
    problem_of(ada.put("me/notice-rules", rules, if_match=seen), 412, "changed")


def test_of_two_administrators_only_one_changes_the_role_that_both_have_read(ada: Program) -> None:
    staff = Program(User.objects.get(username="sam"), (Scope.ROLES, Scope.ORGANISE))
    seen = staff.get("users/bo")["ETag"]
    other = {"role": "organiser"}
    assert staff.put("users/bo/role", other, if_match=seen).status_code == 200
    problem_of(staff.put("users/bo/role", {"role": "staff"}, if_match=seen), 412, "changed")
    assert User.objects.get(username="bo").role is Role.ORGANISER
    now = staff.get("users/bo")["ETag"]
    assert staff.put("users/bo/role", {"role": "author"}, if_match=now).status_code == 200
    assert staff.put("users/bo/role", other).status_code == 200
    problem_of(ada.get("users/bo"), 403, "scope-missing")
    problem_of(staff.get("users/nobody-here"), 404, "not-found")


def test_answers_state_the_rate_limits(ada: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = ada.get("me")
    assert answer["RateLimit-Policy"] == f'"token";q={access.TOKEN_A_MINUTE};w=60'
    assert re.fullmatch(r'"token";r=\d+;t=\d+', answer["RateLimit"])
    first, second = (int(re.findall(r"r=(\d+)", ada.get("me")["RateLimit"])[0]) for _ in range(2))
    assert first == second + 1
    assert '"write"' in ada.put("me/language", {"language": "nl"})["RateLimit"]
    monkeypatch.setattr(access, "PUBLIC_A_MINUTE", 1)
    program = Program()
    program.get("key")
    refused = program.get("key")
    problem_of(refused, 429, "too-often")
    assert '"public";r=0' in refused["RateLimit"]
