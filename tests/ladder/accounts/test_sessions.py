"""Protection of accounts: second factor, confirmation, sessions, new passwords."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal import auth
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.test import Client, override_settings
from django.utils import timezone

from damrak_ladder.accounts import devices
from damrak_ladder.accounts.errors import LastAdministrator
from damrak_ladder.accounts.models import ApiToken, DeviceState, User
from damrak_ladder.accounts.roles import Role, change_role, grant, may_act_as
from damrak_ladder.accounts.sessions import device_name
from damrak_ladder.accounts.tokens import issue
from damrak_ladder.bots import connect_tokens
from damrak_ladder.bots.models import ConnectToken
from damrak_ladder.bots.submission import create_bot
from damrak_ladder.installation.environment import SettingError, read_environment
from damrak_ladder.security import SecurityEvent
from damrak_ladder.security.models import SecurityLogEntry
from ladder.calls import MEMORY
from ladder.people import somebody
from ladder.visitors import prove, queries_of, visitor

PASSWORD = "seven carts over the bridge"
FRESH = "eight carts over the bridge"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
needed = override_settings(DAMRAK_NEEDS_SECOND_FACTOR=True)
pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _memory_of_this_test() -> Iterator[None]:
    with override_settings(CACHES=MEMORY):
        cache.clear()
        yield


def member(name: str = "ann", role: Role = Role.AUTHOR) -> User:
    user = somebody(name)
    user.set_password(PASSWORD)
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    grant(user, role)
    return user


def signed_in(user: User, age: float = 0, **options: str) -> Client:
    client = visitor(user, **options)
    prove(client, user, age)
    return client


def called(client: Client, secret: str, path: str) -> int:
    return client.get(path, HTTP_AUTHORIZATION=f"Bearer {secret}").status_code


# --- second factor -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variables", "is_needed"),
    [
        ({}, False),
        ({"DAMRAK_LADDER_URL": "http://localhost:8000"}, False),
        ({"DAMRAK_LADDER_LISTEN": "0.0.0.0"}, True),
        ({"DAMRAK_LADDER_BEHIND_PROXY": "yes"}, True),
        ({"DAMRAK_LADDER_URL": "https://damrak.example"}, True),
        (
            {"DAMRAK_LADDER_URL": "https://damrak.example", "DAMRAK_LADDER_SECOND_FACTOR": "no"},
            False,
        ),
        ({"DAMRAK_LADDER_SECOND_FACTOR": "yes"}, True),
    ],
)
def test_second_factor_is_needed_unless_the_site_runs_on_loopback(
    variables: dict[str, str], is_needed: bool
) -> None:
    assert read_environment(variables).needs_second_factor is is_needed


@pytest.mark.parametrize("role", [Role.ORGANISER, Role.STAFF])
def test_role_without_second_factor_is_suspended_until_it_is_set_up(role: Role) -> None:
    user = member(role=role)
    client = signed_in(user)
    with needed:
        assert may_act_as(user, Role.AUTHOR)
        assert not may_act_as(user, Role.ORGANISER)
        answer = client.get("/en/organise/")
        assert answer.headers["Location"] == "/en/account/second-factor/"
        shown = client.get("/en/account/second-factor/").content.decode()
        assert "/en/accounts/2fa/totp/activate/" in shown
        assert "role is suspended" in client.get("/en/").content.decode()
        assert client.get("/en/desk/").status_code == 200
        TOTP.activate(user, "JBSWY3DPEHPK3PXP")
        assert client.get("/en/organise/").status_code == 200
        assert "role is suspended" not in client.get("/en/").content.decode()


def test_authors_need_no_second_factor() -> None:
    client = signed_in(member())
    with needed:
        assert client.get("/en/organise/").status_code == 403
        assert "role is suspended" not in client.get("/en/").content.decode()


def test_token_of_suspended_staff_opens_nothing_of_others() -> None:
    now = timezone.now()
    sam = member("sam", Role.STAFF)
    bot = create_bot(somebody("ada"), "barge", "barge", now)
    version = connecting_version(bot, now)
    _, secret = issue(sam, "ci", ["read", "organise"], now)
    path = f"/api/v1/versions/{version}/steps"
    client = visitor()
    assert called(client, secret, path) == 200
    with needed:
        answer = client.get(path, HTTP_AUTHORIZATION=f"Bearer {secret}")
        assert (answer.status_code, answer.json()["code"]) == (403, "second-factor-needed")
        assert called(client, secret, "/api/v1/me") == 200
        TOTP.activate(sam, "JBSWY3DPEHPK3PXP")
        assert called(client, secret, path) == 200


def connecting_version(bot: object, now: datetime) -> int:
    from damrak_ladder.bots.models import Bot, Kind
    from damrak_ladder.bots.submission import Submission, register

    assert isinstance(bot, Bot)
    return register(bot, Submission(Kind.REMOTE, spec="x 1"), now).pk


def test_suspended_user_makes_no_token_for_the_role() -> None:
    client = signed_in(member(role=Role.ORGANISER))
    with needed:
        client.post("/en/desk/tokens/", {"name": "ci", "scopes": ["organise"]})
        assert not ApiToken.objects.exists()
        client.post("/en/desk/tokens/", {"name": "ci", "scopes": ["read"]})
        assert ApiToken.objects.count() == 1


def test_second_factor_costs_authors_no_query() -> None:
    client = signed_in(member())
    client.get("/en/")
    usual = queries_of(client, "/queue/")
    with needed:
        assert queries_of(client, "/queue/") == usual


# --- confirmation --------------------------------------------------------------------------------

OLD = 3600.0


def test_token_is_made_after_confirmation_only() -> None:
    client = signed_in(member(), OLD)
    assert client.get("/en/desk/tokens/").status_code == 200
    form = {"name": "ci", "scopes": ["read"]}
    answer = client.post("/en/desk/tokens/", form)
    assert "/accounts/reauthenticate/" in answer.headers["Location"]
    client.post(answer.headers["Location"], {"password": "wrong"})
    assert not ApiToken.objects.exists()
    shown = client.post(answer.headers["Location"], {"password": PASSWORD})
    assert "Your new token" in shown.content.decode()
    assert ApiToken.objects.get().name == "ci"
    assert "no-store" in shown.headers["Cache-Control"]


def test_second_factor_confirms_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = time.time()
    monkeypatch.setattr(auth, "time", SimpleNamespace(time=lambda: moment))
    user = member()
    TOTP.activate(user, secret := "JBSWY3DPEHPK3PXP")
    client = signed_in(user, OLD)
    client.post("/en/desk/tokens/", {"name": "ci", "scopes": ["read"]})
    code = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))
    client.post("/en/accounts/2fa/reauthenticate/?next=/en/desk/tokens/", {"code": code})
    assert ApiToken.objects.get().name == "ci"


def test_address_is_added_after_confirmation_only() -> None:
    client = signed_in(user := member(), OLD)
    assert client.get("/en/accounts/email/").status_code == 200
    form = {"email": "other@example.org", "action_add": ""}
    answer = client.post("/en/accounts/email/", form)
    assert "/accounts/reauthenticate/" in answer.headers["Location"]
    assert user.emailaddress_set.count() == 1
    client.post(answer.headers["Location"], {"password": PASSWORD})
    assert user.emailaddress_set.count() == 2


def test_program_is_let_in_after_confirmation_only() -> None:
    user = member()
    client = signed_in(user, OLD)
    codes = devices.begin("laptop", "192.0.2.1", timezone.now())
    form = {"code": codes.short, "approve": "1"}
    answer = client.post("/en/device/", form)
    assert "/accounts/reauthenticate/" in answer.headers["Location"]
    client.post(answer.headers["Location"], {"password": PASSWORD})
    assert devices.collect(codes.long, timezone.now())[0].owner == user


def test_program_is_refused_without_confirmation() -> None:
    client = signed_in(member(), OLD)
    codes = devices.begin("laptop", "192.0.2.1", timezone.now())
    shown = client.post("/en/device/", {"code": codes.short, "refuse": "1"})
    assert "was denied access" in shown.content.decode()


def test_sign_in_a_moment_ago_is_confirmation_enough() -> None:
    member()
    client = visitor()
    client.post("/en/accounts/login/", {"login": "ann", "password": PASSWORD})
    codes = devices.begin("laptop", "192.0.2.1", timezone.now())
    client.post("/en/device/", {"code": codes.short, "approve": "1"})
    login = devices.DeviceLogin.objects.get()
    assert login.state == DeviceState.APPROVED


def test_role_is_changed_after_confirmation_only() -> None:
    bo = member("bo")
    client = signed_in(member("sam", Role.STAFF), OLD)
    path = f"/en/organise/users/{bo.pk}/role/"
    assert client.get(path).status_code == 200
    answer = client.post(path, {"role": "organiser"})
    bo.refresh_from_db()
    assert bo.role == Role.AUTHOR
    client.post(answer.headers["Location"], {"password": PASSWORD})
    bo.refresh_from_db()
    assert bo.role == Role.ORGANISER
    assert "bo" in client.get("/en/organise/users/").content.decode()


def test_last_administrator_keeps_the_role() -> None:
    sam = member("sam", Role.STAFF)
    shown = signed_in(sam).post(f"/en/organise/users/{sam.pk}/role/", {"role": "author"})
    assert "last administrator" in shown.content.decode()
    sam.refresh_from_db()
    assert sam.role == Role.STAFF
    other = member("tom", Role.STAFF)
    assert change_role(sam, Role.AUTHOR) is Role.STAFF
    with pytest.raises(LastAdministrator):
        change_role(other, Role.ORGANISER)


# --- sessions and passwords ----------------------------------------------------------------------


def test_sessions_are_listed_and_ended() -> None:
    user = member()
    here = signed_in(user, HTTP_USER_AGENT=FIREFOX)
    there = signed_in(user, HTTP_USER_AGENT="curl/8", REMOTE_ADDR="192.0.2.7")
    others = signed_in(member("bo"))
    for client in (here, there, others):
        client.get("/en/desk/")
    shown = here.get("/en/accounts/sessions/").content.decode()
    assert "Firefox, Linux" in shown
    assert "192.0.2.7" in shown
    row = UserSession.objects.get(ip="192.0.2.7")
    assert others.post(f"/en/account/sessions/{row.pk}/end/").status_code == 404
    here.post(f"/en/account/sessions/{row.pk}/end/")
    assert there.get("/en/desk/").status_code == 302
    assert here.get("/en/desk/").status_code == 200


def test_ended_sessions_and_revoked_tokens_are_in_the_security_log() -> None:
    user = with_tokens()
    there, here = signed_in(user), signed_in(user)
    there.get("/en/desk/")
    here.get("/en/desk/")
    form = {"oldpassword": PASSWORD, "password1": FRESH, "password2": FRESH}
    here.post("/en/accounts/password/change/", form | {"revoke_tokens": "on"})
    for kind in (SecurityEvent.SESSION_ENDED, SecurityEvent.TOKEN_REVOKED):
        assert SecurityLogEntry.objects.filter(kind=kind, user=user).exists()


def test_all_other_sessions_are_ended_at_once() -> None:
    user = member()
    here, there = signed_in(user), signed_in(user)
    here.get("/en/desk/")
    there.get("/en/desk/")
    here.post("/en/accounts/sessions/")
    assert there.get("/en/desk/").status_code == 302
    assert here.get("/en/desk/").status_code == 200


def test_last_use_is_written_every_few_minutes_only() -> None:
    client = signed_in(member())
    client.get("/en/desk/")
    row = UserSession.objects.get()
    client.get("/en/desk/")
    assert UserSession.objects.get().last_seen_at == row.last_seen_at
    before = timezone.now() - timedelta(hours=1)
    UserSession.objects.update(last_seen_at=before)
    client.get("/en/desk/")
    assert UserSession.objects.get().last_seen_at > before


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18 Safari/6",
            "Safari, iPhone",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"),
        ("curl/8.0", "curl/8.0"),
        ("", ""),
    ],
)
def test_devices_have_short_names(agent: str, name: str) -> None:
    assert device_name(agent) == name


def reset(client: Client, **more: str) -> None:
    client.post("/en/accounts/password/reset/", {"email": "ann@example.org"})
    found = re.search(r"http://[^/]+(/\S+)", str(mail.outbox[-1].body))
    assert found
    form = client.get(found[1], follow=True)
    assert "revoke_tokens" in form.content.decode()
    client.post(form.request["PATH_INFO"], {"password1": FRESH, "password2": FRESH} | more)


def with_tokens() -> User:
    user, now = member(), timezone.now()
    issue(user, "ci", ["read"], now)
    connect_tokens.issue(create_bot(user, "barge", "barge", now), now)
    codes = devices.begin("laptop", "192.0.2.1", now)
    devices.approve(user, codes.short, now)
    return user


def tokens_left() -> tuple[int, int, int]:
    return (
        ApiToken.objects.filter(revoked=None).count(),
        ConnectToken.objects.filter(revoked=None).count(),
        devices.DeviceLogin.objects.count(),
    )


def test_password_reset_ends_sessions_and_keeps_tokens_by_default() -> None:
    there = signed_in(with_tokens())
    there.get("/en/desk/")
    key = there.session.session_key
    reset(visitor())
    assert there.get("/en/desk/").status_code == 302
    assert not Session.objects.filter(pk=key).exists()
    assert not UserSession.objects.exists()
    assert tokens_left() == (1, 1, 1)


def test_password_reset_revokes_tokens_on_request() -> None:
    with_tokens()
    reset(visitor(), revoke_tokens="on")
    assert tokens_left() == (0, 0, 0)


def test_password_change_ends_sessions_and_optionally_revokes_tokens() -> None:
    user = with_tokens()
    here, there = signed_in(user), signed_in(user)
    here.get("/en/desk/")
    there.get("/en/desk/")
    key = there.session.session_key
    form = {"oldpassword": PASSWORD, "password1": FRESH, "password2": FRESH}
    here.post("/en/accounts/password/change/", form | {"revoke_tokens": "on"})
    assert here.get("/en/desk/").status_code == 200
    assert there.get("/en/desk/").status_code == 302
    assert not Session.objects.filter(pk=key).exists()
    assert UserSession.objects.count() == 1
    assert tokens_left() == (0, 0, 0)


# --- security.txt --------------------------------------------------------------------------------


def security_txt() -> dict[str, str]:
    answer = visitor().get("/.well-known/security.txt")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    lines = answer.content.decode().splitlines()
    return dict(line.split(": ", 1) for line in lines)


def test_security_txt_is_valid_when_nothing_is_set() -> None:
    said = security_txt()
    assert said["Contact"] == "mailto:damrak@localhost"
    expires = datetime.fromisoformat(said["Expires"].replace("Z", "+00:00"))
    assert timedelta(days=170) < expires - datetime.now(UTC) < timedelta(days=365)
    assert said["Canonical"].endswith("/.well-known/security.txt")
    assert visitor().get("/en/docs/security/").status_code == 200


def test_security_txt_shows_the_settings() -> None:
    found = read_environment(
        {
            "DAMRAK_LADDER_SECURITY_CONTACT": "Security <security@damrak.example>",
            "DAMRAK_LADDER_SECURITY_EXPIRES": "2031-02-03",
        }
    )
    with override_settings(
        DAMRAK_SECURITY_CONTACT=found.security_contact,
        DAMRAK_SECURITY_EXPIRES=found.security_expires,
    ):
        said = security_txt()
    assert said["Contact"] == "mailto:security@damrak.example"
    assert said["Expires"] == "2031-02-03T00:00:00Z"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECURITY_CONTACT", "nowhere"),
        ("SECURITY_CONTACT", "http://damrak.example"),
        ("SECURITY_CONTACT", "https://damrak.example/\nExpires: never"),
        ("SECURITY_EXPIRES", "soon"),
    ],
)
def test_invalid_security_settings_are_refused(name: str, value: str) -> None:
    with pytest.raises(SettingError):
        read_environment({f"DAMRAK_LADDER_{name}": value})
