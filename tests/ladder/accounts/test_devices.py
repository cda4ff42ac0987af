"""The login of a program through a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import override_settings
from django.utils import timezone

from damrak_ladder.accounts import devices
from damrak_ladder.accounts.errors import DeviceRefused, TooOften
from damrak_ladder.accounts.models import ApiToken, DeviceLogin, Scope
from damrak_ladder.accounts.tokens import verify
from ladder.calls import MEMORY, Program, problem_of
from ladder.people import somebody


@pytest.fixture(autouse=True)
def _in_memory() -> Iterator[None]:
    with override_settings(CACHES=MEMORY):
        yield


def begun(program: Program, name: str = "damrak on a laptop") -> dict[str, str]:
    said: dict[str, str] = json.loads(program.post("device", {"name": name}).content)
    return said


def collect(program: Program, codes: dict[str, str]) -> HttpResponse:
    return program.post("device/token", {"device_code": codes["device_code"]})


def test_approved_program_gets_a_token_once(database: None) -> None:
    program, ann = Program(), somebody()
    codes = begun(program)
    assert codes["verification_uri_complete"].endswith(f"/device/?code={codes['user_code']}")
    problem_of(collect(program, codes), 400, "authorization-pending")
    now = timezone.now()
    found = devices.find(ann, codes["user_code"], now)
    assert found is not None
    assert (found.name, found.address) == ("damrak on a laptop", "127.0.0.1")
    devices.approve(ann, codes["user_code"].replace("-", " ").lower(), now)
    given = json.loads(collect(program, codes).content)
    assert given["username"] == "ann"
    token = verify(given["token"], Scope.SUBMIT, now)
    assert token.owner == ann
    assert Scope.ORGANISE not in token.scopes
    assert token.expires is not None
    problem_of(collect(program, codes), 400, "login-refused")
    assert ApiToken.objects.count() == 1


def test_the_tables_do_not_contain_the_codes(database: None) -> None:
    codes = begun(Program())
    kept = json.dumps(list(DeviceLogin.objects.values()), default=str)
    assert codes["device_code"] not in kept
    assert codes["user_code"].replace("-", "") not in kept


def test_refused_program_gets_nothing(database: None) -> None:
    program, ann = Program(), somebody()
    codes = begun(program)
    devices.refuse(ann, codes["user_code"], timezone.now())
    problem_of(collect(program, codes), 400, "login-refused")
    with pytest.raises(DeviceRefused):
        devices.approve(ann, codes["user_code"], timezone.now())
    assert not ApiToken.objects.exists()


def test_nothing_is_valid_after_its_expiry(database: None) -> None:
    program, ann = Program(), somebody()
    codes, later = begun(program), timezone.now() + devices.GOOD_FOR
    assert devices.find(ann, codes["user_code"], later) is None
    devices.approve(ann, codes["user_code"], timezone.now())
    with pytest.raises(DeviceRefused, match="in time"):
        devices.collect(codes["device_code"], later)
    devices.begin("another", "here", later + timedelta(hours=1))
    assert DeviceLogin.objects.count() == 1


def test_two_machines_of_one_name_have_a_token_each(database: None) -> None:
    program, ann = Program(), somebody()
    for _ in range(2):
        codes = begun(program)
        devices.approve(ann, codes["user_code"], timezone.now())
        assert collect(program, codes).status_code == 200
    names = sorted(ApiToken.objects.values_list("name", flat=True))
    assert names == ["damrak on a laptop", "damrak on a laptop (2)"]


def test_guessing_codes_soon_ends(database: None) -> None:
    Program()
    ann, now = somebody(), timezone.now()
    for _ in range(10):
        assert devices.find(ann, "BCDF-GHJK", now) is None
    with pytest.raises(TooOften):
        devices.approve(ann, "BCDF-GHJK", now)


def test_requests_and_polling_are_limited(database: None) -> None:
    program = Program()
    answers = [program.post("device", {}).status_code for _ in range(11)]
    assert answers == [200] * 10 + [429]
    wrong = {"device_code": "x"}
    polls = {program.post("device/token", wrong).status_code for _ in range(61)}
    assert polls == {400, 429}


@pytest.mark.parametrize("name", ["", "\x1b[31mred\x00", "n" * 200, "\u202eevil"])
def test_names_are_made_harmless(database: None, name: str) -> None:
    program = Program()
    assert program.post("device", {"name": name}).status_code == 200
    kept = DeviceLogin.objects.get().name
    assert kept
    assert kept.isprintable()
    assert len(kept) <= 50
