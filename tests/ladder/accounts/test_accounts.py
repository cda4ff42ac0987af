"""Accounts: sign-up, confirmation of the address, login, password reset, second factor, roles."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.totp.internal import auth
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core import mail
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.test import Client, override_settings

from damrak_ladder.accounts.budgets import spend
from damrak_ladder.accounts.errors import TooOften
from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import grant, may_act_as
from ladder.calls import MEMORY
from ladder.people import somebody

PASSWORD = "seven carts over the bridge"
pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _memory_of_this_test() -> Iterator[None]:
    with override_settings(CACHES=MEMORY):  # allauth counts attempts in the cache
        cache.clear()
        yield


def sign_up(client: Client, name: str = "ann") -> None:
    form = {"username": name, "email": f"{name}@example.org"}
    answer = client.post(
        "/en/accounts/signup/", form | {"password1": PASSWORD, "password2": PASSWORD}
    )
    assert answer.status_code == 302, answer.content


def link_in_last_mail() -> str:
    found = re.search(r"http://[^/]+(/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def log_in(client: Client, password: str = PASSWORD) -> str:
    answer = client.post("/en/accounts/login/", {"login": "ann", "password": password})
    return answer.headers.get("Location", "")


def test_address_is_confirmed_before_the_first_login() -> None:
    client = Client(SERVER_NAME="127.0.0.1")
    sign_up(client)
    assert "confirm-email" in log_in(client)
    client.post(link_in_last_mail())
    assert log_in(client) == "/"


def test_pages_about_mail_name_the_folder_that_keeps_it_to_readers_on_this_machine(
    settings: Any, tmp_path: Path
) -> None:
    settings.EMAIL_FILE_PATH = tmp_path
    settings.ALLOWED_HOSTS = ["127.0.0.1", "ladder.example.org"]
    for path in ("/accounts/signup/", "/accounts/confirm-email/", "/accounts/password/reset/done/"):
        here = Client(headers={"host": "127.0.0.1:8000", "accept-language": "en"})
        assert str(tmp_path) in here.get(path, follow=True).content.decode()
        elsewhere = Client(headers={"host": "ladder.example.org"})
        assert str(tmp_path) not in elsewhere.get(path, follow=True).content.decode()
        forged = Client(headers={"host": "127.0.0.1:8000"}, REMOTE_ADDR="192.0.2.7")
        assert str(tmp_path) not in forged.get(path, follow=True).content.decode()


def test_an_unavailable_mail_server_costs_the_mail_but_not_the_account() -> None:
    client = Client(SERVER_NAME="127.0.0.1")
    away = {"EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend"}
    with override_settings(**away, EMAIL_HOST="127.0.0.1", EMAIL_PORT=1):
        sign_up(client)
        told = client.get("/en/accounts/confirm-email/").content.decode()
        client.post("/en/accounts/password/reset/", {"email": "ann@example.org"})
        told += client.get("/en/accounts/password/reset/done/").content.decode()
        assert told.count("could not be reached") == told.count("No email was sent") == 2
        assert "email sent to" not in told
        assert "We have sent" not in told
    assert "We have sent" in client.get("/en/accounts/confirm-email/").content.decode()
    cache.clear()  # as if some minutes had passed
    assert "confirm-email" in log_in(client)
    client.post(link_in_last_mail())
    assert log_in(client) == "/"


def test_password_is_reset_by_mail() -> None:
    client = Client(SERVER_NAME="127.0.0.1")
    sign_up(client)
    client.post(link_in_last_mail())
    client.post("/en/accounts/password/reset/", {"email": "ann@example.org"})
    form = client.get(link_in_last_mail(), follow=True).request["PATH_INFO"]
    fresh = "eight carts over the bridge"
    client.post(form, {"password1": fresh, "password2": fresh})
    client.logout()
    assert log_in(client) == ""
    assert log_in(client, fresh) == "/"


def test_second_factor_is_asked_for_once_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = time.time()  # otherwise the code could be that of the previous half minute
    monkeypatch.setattr(auth, "time", SimpleNamespace(time=lambda: moment))
    client = Client(SERVER_NAME="127.0.0.1")
    sign_up(client)
    client.post(link_in_last_mail())
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(User.objects.get(username="ann"), secret)
    assert "2fa" in log_in(client)
    assert "_auth_user_id" not in client.session
    client.post("/en/accounts/2fa/authenticate/", {"code": "000000"})
    assert "_auth_user_id" not in client.session
    counter = next(iter(yield_hotp_counters_from_time()))
    code = format_hotp_value(hotp_value(secret, counter))
    client.post("/en/accounts/2fa/authenticate/", {"code": code})
    assert "_auth_user_id" in client.session
    assert get_adapter().is_mfa_enabled(User.objects.get(username="ann"))


@pytest.mark.parametrize("name", ["House", "\u0430nn", "h\u043euse", "\uff41dmin", "a\u0301nn"])
def test_names_that_are_reserved_or_look_like_others_are_refused(name: str) -> None:
    form = {"username": name, "email": "h@example.org"}
    client = Client(SERVER_NAME="127.0.0.1")
    client.post("/en/accounts/signup/", form | {"password1": PASSWORD, "password2": PASSWORD})
    assert not User.objects.exists()


@pytest.mark.parametrize("again", [{"username": "Ann"}, {"email": "ANN@example.org"}])
def test_names_and_addresses_differ_in_more_than_case(again: dict[str, str]) -> None:
    somebody("ann")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create(**({"username": "bob", "email": "bob@example.org"} | again))


def test_several_accounts_may_have_no_address() -> None:
    User.objects.create(username="house-1", email="")
    User.objects.create(username="house-2", email="")


def test_roles_are_ordered() -> None:
    ann = somebody()
    seen = []
    for role in [Role.AUTHOR, Role.ORGANISER, Role.STAFF, Role.AUTHOR]:
        grant(ann, role)
        ann.refresh_from_db()
        seen.append([ann.role, *(may_act_as(ann, other) for other in Role)])
    assert seen == [
        [Role.AUTHOR, True, False, False],
        [Role.ORGANISER, True, True, False],
        [Role.STAFF, True, True, True],
        [Role.AUTHOR, True, False, False],
    ]


def test_locked_account_may_nothing() -> None:
    ann = somebody()
    ann.is_active = False
    assert not may_act_as(ann, Role.AUTHOR)


def test_a_network_of_addresses_of_version_6_counts_as_one() -> None:
    spend("knock", "2001:db8::1", 1, 3600)
    spend("knock", "2001:db8:0:1::1", 1, 3600)
    spend("knock", "::ffff:192.0.2.1", 1, 3600)
    spend("knock", "::ffff:192.0.2.2", 1, 3600)
    with pytest.raises(TooOften):
        spend("knock", "2001:db8::2", 1, 3600)
