"""Limits of the account pages: 429 in six languages; users cannot be locked out by others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core import mail
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client, override_settings

from damrak_ladder.accounts.known_browsers import COOKIE
from damrak_ladder.accounts.models import User
from damrak_ladder.security.models import SecurityLogEntry
from ladder.calls import MEMORY
from ladder.people import somebody
from ladder.visitors import visitor

pytestmark = pytest.mark.usefixtures("database")
PASSWORD = "seven carts over the bridge"
LANGUAGES = {
    "en": "Too many requests",
    "da": "For mange forespørgsler",
    "nb": "For mange forespørsler",
    "nl": "Te veel verzoeken",
    "fi": "Liikaa pyyntöjä",
    "pl": "Zbyt wiele żądań",
}
LOCKED = {
    "en": "Too many failed sign-ins",
    "da": "For mange mislykkede login",
    "nb": "For mange mislykkede innlogginger",
    "nl": "Te veel mislukte aanmeldingen",
    "fi": "Liian monta epäonnistunutta kirjautumista",
    "pl": "Zbyt wiele nieudanych logowań",
}


@pytest.fixture(autouse=True)
def _own_cache() -> Iterator[None]:
    with override_settings(
        CACHES=MEMORY, PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]
    ):
        cache.clear()
        yield
        cache.clear()


@pytest.fixture
def ann() -> User:
    user = somebody()
    user.set_password(PASSWORD)
    user.save()
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    return user


def sign_in(client: Client, login: str = "ann", password: str = PASSWORD) -> HttpResponse:
    return client.post("/en/accounts/login/", {"login": login, "password": password})


def is_in(answer: HttpResponse) -> bool:
    return answer.status_code == 302 and answer.headers["Location"] == "/"


def fail(address: str, times: int, login: str = "ann") -> HttpResponse:
    client = visitor(REMOTE_ADDR=address)
    return [sign_in(client, login, "wrong") for _ in range(times)][-1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("form", "times", "sent"),
    [
        ("login", 31, {"login": ""}),
        ("signup", 21, {"username": ""}),
        ("password/reset", 6, {"email": "nobody@example.org"}),
    ],
)
def test_too_many_requests_are_answered_with_429_and_a_page(
    language: str, form: str, times: int, sent: dict[str, str]
) -> None:
    client = visitor()
    answers = [client.post(f"/{language}/accounts/{form}/", sent) for _ in range(times)]
    assert 429 not in [answer.status_code for answer in answers[:-1]]
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["Retry-After"]) > 0
    text = answers[-1].content.decode()
    assert LANGUAGES[language] in text
    assert f'<html lang="{language}"' in text


@pytest.mark.parametrize("language", LOCKED)
def test_a_lockout_is_429_with_an_alternative(language: str) -> None:
    client = visitor()
    sent = {"login": "ann", "password": "wrong"}
    answers = [client.post(f"/{language}/accounts/login/", sent) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 301
    text = answers[-1].content.decode()
    assert LOCKED[language] in text
    assert f"/{language}/accounts/password/reset/" in text


def test_failures_from_one_address_do_not_lock_out_another(ann: User) -> None:
    assert fail("192.0.2.1", 6).status_code == 429
    assert fail("192.0.2.1", 1, ann.email).status_code == 429  # the same account
    assert is_in(sign_in(visitor(REMOTE_ADDR="192.0.2.2")))
    row = SecurityLogEntry.objects.filter(kind="lockout").earliest("pk")
    assert (row.user, row.address) == (ann, "192.0.2.1")


def test_addresses_of_one_ipv6_network_count_together(ann: User) -> None:
    for number in range(5):
        fail(f"2001:db8::{number:x}", 1)
    assert fail("2001:db8::ffff", 1).status_code == 429


def lock_out_everywhere() -> None:
    for number in range(20):
        assert fail(f"192.0.2.{number}", 5).status_code == 200
    blocked = sign_in(visitor(REMOTE_ADDR="198.51.100.1"))
    assert blocked.status_code == 429
    assert 300 < int(blocked.headers["Retry-After"]) <= 3601


def test_a_known_browser_signs_in_while_the_name_is_locked(ann: User) -> None:
    browser = visitor(REMOTE_ADDR="198.51.100.9")
    assert is_in(sign_in(browser))
    browser.post("/en/accounts/logout/")
    lock_out_everywhere()
    assert is_in(sign_in(browser))


def test_a_known_browser_has_a_limit_too(ann: User) -> None:
    browser = visitor()
    sign_in(browser)
    browser.post("/en/accounts/logout/")
    answers = [sign_in(browser, password="wrong").status_code for _ in range(11)]
    assert answers == [200] * 10 + [429]


def test_cookies_of_others_and_forged_ones_do_not_help(ann: User) -> None:
    bob = somebody("bob")
    bob.set_password(PASSWORD)
    bob.save()
    bob.emailaddress_set.create(email=bob.email, verified=True, primary=True)
    other = visitor(REMOTE_ADDR="198.51.100.9")
    assert is_in(sign_in(other, "bob"))
    other.post("/en/accounts/logout/")
    lock_out_everywhere()
    assert sign_in(other).status_code == 429
    other.cookies[COOKIE] = "eyJpZCI6IngiLCJ1c2VycyI6WzFdfQ:1:forged"
    assert sign_in(other).status_code == 429


def test_a_mailed_link_lets_the_owner_in_while_the_name_is_locked(ann: User) -> None:
    lock_out_everywhere()
    browser = visitor(REMOTE_ADDR="198.51.100.9")
    browser.post("/en/accounts/password/reset/", {"email": ann.email})
    link = next(word for word in str(mail.outbox[-1].body).split() if word.startswith("http"))
    path = browser.get(link, follow=True).redirect_chain[-1][0]
    new = "eight carts over the bridge"
    browser.post(path, {"password1": new, "password2": new})
    assert is_in(sign_in(browser, password=new))


def test_successful_sign_ins_do_not_count(ann: User) -> None:
    for number in range(8):
        assert is_in(sign_in(visitor(REMOTE_ADDR="192.0.2.7"))), number


def test_the_cookie_is_not_readable_by_scripts_and_grants_nothing(ann: User) -> None:
    browser = visitor()
    sign_in(browser)
    kept = browser.cookies[COOKIE]
    assert kept["httponly"]
    assert kept["samesite"] == "Lax"
    stranger = visitor()
    stranger.cookies[COOKIE] = kept.value
    assert stranger.get("/en/desk/").status_code == 302
