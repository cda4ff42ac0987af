"""The security log: its entries, its pages for staff, and its behaviour in a flood."""

from __future__ import annotations

import json
import logging
import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from allauth.mfa.totp.internal import auth
from django.core import mail
from django.core.cache import cache
from django.db import DatabaseError
from django.test import override_settings
from django.utils import timezone

from damrak_ladder.accounts.models import ApiToken, Role, Scope, User
from damrak_ladder.accounts.roles import grant
from damrak_ladder.accounts.tokens import issue, revoke
from damrak_ladder.installation.logs import JsonLines, log_to_stderr
from damrak_ladder.matches.models import Seat
from damrak_ladder.pipeline.upkeep.retention import forget
from damrak_ladder.security import SecurityEvent, record, recorder
from damrak_ladder.security.models import SecurityLogEntry
from ladder.bot_versions import some_bot, some_version
from ladder.calls import MEMORY, Program
from ladder.people import NOW, somebody
from ladder.tables import some_block
from ladder.visitors import page, visitor

pytestmark = pytest.mark.usefixtures("database")
PASSWORD = "seven carts over the bridge"


@pytest.fixture(autouse=True)
def _own_cache():
    with override_settings(
        CACHES=MEMORY, PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]
    ):
        cache.clear()
        yield


def with_password(name: str = "ann") -> User:
    user = somebody(name)
    user.set_password(PASSWORD)
    user.save()
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    return user


def sign_in(client, login: str = "ann", password: str = PASSWORD):
    return client.post("/en/accounts/login/", {"login": login, "password": password})


def kinds(**filters: object) -> list[str]:
    found = SecurityLogEntry.objects.filter(**filters).order_by("pk")
    return list(found.values_list("kind", flat=True))


def test_sign_ins_and_failures_are_recorded_with_time_user_and_address(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ann = with_password()
    client = visitor(REMOTE_ADDR="192.0.2.7")
    with caplog.at_level(logging.INFO, "damrak_ladder.security"):
        sign_in(client, password="wrong")
        sign_in(client, "ann@example.org", "wrong")
        sign_in(client, "hunter2", "wrong")
        sign_in(client)
        client.post("/en/accounts/logout/")
    rows = list(SecurityLogEntry.objects.order_by("pk"))
    assert [(row.kind, row.user, row.name, row.address) for row in rows] == [
        ("sign_in_failed", ann, "ann", "192.0.2.7"),
        ("sign_in_failed", ann, "ann", "192.0.2.7"),
        ("sign_in_failed", None, "", "192.0.2.7"),  # the entered name may be a password
        ("sign_in", ann, "ann", "192.0.2.7"),
        ("session_ended", ann, "ann", "192.0.2.7"),
    ]
    assert all(abs(timezone.now() - row.at) < timedelta(minutes=10) for row in rows)
    lines = [json.loads(JsonLines().format(line)) for line in caplog.records]
    assert [(line["event"], line["kind"], line["user"], line["address"]) for line in lines] == [
        ("security_event", row.kind, row.name, row.address) for row in rows
    ]


def test_lines_are_written_where_only_warnings_are(capfd: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        log_to_stderr()
        record(SecurityEvent.SIGN_IN, name="ann")
    finally:
        root.handlers[:], root.level = before, level
    assert json.loads(capfd.readouterr().err)["kind"] == "sign_in"


def test_changes_of_password_and_address_are_recorded() -> None:
    ann = with_password()
    client = visitor()
    sign_in(client)
    new = "eight carts over the bridge"
    client.post(
        "/en/accounts/password/change/",
        {"oldpassword": PASSWORD, "password1": new, "password2": new},
    )
    client.post("/en/accounts/email/", {"action_add": "", "email": "new@example.org"})
    ann.emailaddress_set.filter(email="new@example.org").update(verified=True)
    client.post("/en/accounts/email/", {"action_primary": "", "email": "new@example.org"})
    client.post("/en/accounts/email/", {"action_remove": "", "email": "ann@example.org"})
    assert {"password_changed", "email_added", "email_changed", "email_removed"} <= set(
        kinds(user=ann)
    )
    mail.outbox.clear()
    visitor().post("/en/accounts/password/reset/", {"email": "new@example.org"})
    link = next(word for word in str(mail.outbox[-1].body).split() if word.startswith("http"))
    stranger = visitor()
    form = stranger.get(link, follow=True)
    path = form.redirect_chain[-1][0]
    stranger.post(path, {"password1": PASSWORD, "password2": PASSWORD})
    assert "password_reset" in kinds(user=ann)


def test_second_factor_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    # allauth sends the signal after the commit, which never happens in a test within a transaction.
    monkeypatch.setattr("django.db.transaction.on_commit", lambda run, **_: run())
    from allauth.mfa.adapter import get_adapter
    from allauth.mfa.totp.internal.auth import (
        SECRET_SESSION_KEY,
        format_hotp_value,
        hotp_value,
        yield_hotp_counters_from_time,
    )

    moment = time.time()  # otherwise the code could be that of the previous half minute
    monkeypatch.setattr(auth, "time", SimpleNamespace(time=lambda: moment))
    ann = with_password()
    client = visitor()
    sign_in(client)
    client.post("/en/accounts/reauthenticate/", {"password": PASSWORD})
    shown = page(client, "/accounts/2fa/totp/activate/")
    secret = client.session[SECRET_SESSION_KEY]
    assert secret in shown
    code = format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))
    client.post("/en/accounts/2fa/totp/activate/", {"code": code})
    client.post("/en/accounts/2fa/recovery-codes/generate/")
    assert get_adapter().is_mfa_enabled(ann)
    other = visitor()
    sign_in(other)
    other.post("/en/accounts/2fa/authenticate/", {"code": "000000"})
    client.post("/en/accounts/2fa/totp/deactivate/")
    found = kinds(user=ann)
    assert found.count("recovery_codes_made") == 2
    assert {"second_factor_added", "second_factor_removed"} <= set(found)
    failed = SecurityLogEntry.objects.get(kind="sign_in_failed")
    assert "second factor" in failed.detail["reason"]


def test_roles_and_tokens_are_recorded() -> None:
    ann, sam = somebody(), somebody("sam")
    grant(ann, Role.ORGANISER)
    grant(ann, Role.ORGANISER)  # no effect
    row = SecurityLogEntry.objects.get(kind="role_changed")
    assert (row.user, row.detail["from"], row.detail["to"]) == (ann, "author", "organiser")
    token, secret = issue(ann, "laptop", [Scope.READ], NOW)
    assert not revoke(sam, token.pk, NOW)
    assert revoke(ann, token.pk, NOW)
    assert not revoke(ann, token.pk, NOW)
    assert kinds(user=ann)[-2:] == ["token_created", "token_revoked"]
    assert secret not in str(list(SecurityLogEntry.objects.values_list("detail", flat=True)))


def test_refused_tokens_are_failed_sign_ins() -> None:
    program = Program(secret="damrak_" + "x" * 43)
    assert program.get("me").status_code == 401
    row = SecurityLogEntry.objects.get(kind="sign_in_failed")
    assert (row.address, row.detail) == (
        "127.0.0.1",
        {"reason": "token refused", "hint": "damrak_xxxx"},
    )


def test_access_to_what_belongs_to_another_user_is_recorded() -> None:
    bob = somebody("bob")
    bot = some_bot("canal-rat", "ann")
    version = some_version(bot)
    block = some_block((version, version))
    seat = Seat.objects.filter(match__block=block).earliest("pk")
    token, _ = issue(bot.owner, "laptop", [Scope.READ], NOW)
    browser, program = visitor(bob), Program(bob)
    log = f"matches/{seat.match_id}/seats/{seat.number}/log"
    pages = {
        "desk/bots/canal-rat/": 403,
        f"desk/bots/canal-rat/{version.number}/": 403,
        "desk/bots/canal-rat/token/": 404,
        f"{log}/": 404,
        f"{log[:-3]}bundle/": 404,
        f"desk/tokens/{token.pk}/revoke/": 404,
        "organise/": 403,
        "organise/security/": 403,
    }
    for path, status in pages.items():
        before = len(kinds(kind="access_refused", user=bob))
        assert browser.get(f"/en/{path}").status_code == status, path
        assert len(kinds(kind="access_refused", user=bob)) == before + 1, path
    SecurityLogEntry.objects.all().delete()
    calls = [log, f"versions/{version.pk}/steps", f"versions/{version.pk}/failures"]
    for path in calls:
        assert program.get(path).status_code == 403, path
    assert program.post("bots/canal-rat/live", {"version": 1}).status_code == 403
    rows = SecurityLogEntry.objects.filter(kind="access_refused", user=bob, address="127.0.0.1")
    assert rows.count() == len(calls) + 1
    assert rows.latest("pk").detail["path"] == "/api/v1/bots/canal-rat/live"
    # Missing objects, and the user's own, are not recorded.
    assert browser.get("/en/desk/bots/no-such-bot/").status_code == 404
    assert visitor(bot.owner).get(f"/en/{log}/").status_code == 200
    assert rows.count() == len(calls) + 1


def test_staff_filters_by_kind_user_address_and_time() -> None:
    sam = somebody("sam")
    grant(sam, Role.STAFF)
    somebody("bob")
    SecurityLogEntry.objects.all().delete()
    staff = visitor(sam)
    SecurityLogEntry.objects.all().delete()
    assert "There are no entries yet" in page(staff, "/organise/security/")
    for number, (kind, name, address) in enumerate(
        (
            ("sign_in", "bob", "192.0.2.1"),
            ("sign_in_failed", "bob", "192.0.2.2"),
            ("sign_in_failed", "cleo", "2001:db8::1"),
        )
    ):
        SecurityLogEntry.objects.create(
            at=NOW + timedelta(days=number), kind=kind, name=name, address=address
        )
    for asked, shown in (
        ("", {"192.0.2.1", "192.0.2.2", "2001:db8::1"}),
        ("kind=sign_in_failed", {"192.0.2.2", "2001:db8::1"}),
        ("user=BOB", {"192.0.2.1", "192.0.2.2"}),
        ("address=2001:db8::1", {"2001:db8::1"}),
        ("since=2030-01-02T12:00", {"192.0.2.2", "2001:db8::1"}),
        ("since=2030-01-02&until=2030-01-03", {"192.0.2.2"}),
        ("kind=sign_in_failed&user=bob", {"192.0.2.2"}),
        ("user=nobody", set()),
    ):
        text = page(staff, f"/organise/security/?{asked}")
        found = {one for one in ("192.0.2.1", "192.0.2.2", "2001:db8::1") if f">{one}<" in text}
        assert found == shown, asked
    assert "No entry matches" in page(staff, "/organise/security/?user=nobody")
    assert "Enter a valid date/time" in page(staff, "/organise/security/?since=x")
    assert visitor("bob").get("/en/organise/security/").status_code == 403
    assert "/organise/security/" in page(staff, "/organise/")


def test_pages_of_the_log_keep_the_filter() -> None:
    sam = somebody("sam")
    grant(sam, Role.STAFF)
    for _ in range(60):
        SecurityLogEntry.objects.create(at=NOW, kind="sign_in", name="bob")
    text = page(visitor(sam), "/organise/security/?user=bob")
    assert "?user=bob&amp;before=" in text


def test_a_flood_increases_a_count(caplog: pytest.LogCaptureFixture) -> None:
    bob = somebody("bob")
    bot = some_bot("canal-rat", "ann")
    browser = visitor(bob)
    with caplog.at_level(logging.INFO, "damrak_ladder.security"):
        for _ in range(100):
            browser.get(f"/en/desk/bots/{bot.slug}/")
    rows = SecurityLogEntry.objects.filter(kind="access_refused")
    assert rows.count() == recorder.ROWS_PER_SOURCE
    assert sum(rows.values_list("times", flat=True)) == 100
    lines = [line for line in caplog.records if line.message == "security_event"]
    assert len(lines) < 40


def test_a_flood_from_many_addresses_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "ROWS_PER_HOUR", 30)
    for number in range(50):
        browser = visitor(REMOTE_ADDR=f"192.0.2.{number}")
        sign_in(browser, f"nobody-{number}", "wrong")
    rows = SecurityLogEntry.objects.filter(kind="sign_in_failed")
    assert (rows.count(), sum(rows.values_list("times", flat=True))) == (30, 50)


def test_failed_recording_does_not_prevent_a_sign_in(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise DatabaseError("no space left")

    with_password()
    monkeypatch.setattr(SecurityLogEntry.objects, "create", refuse)
    monkeypatch.setattr(recorder, "_full_row", refuse)
    assert sign_in(visitor()).headers["Location"] == "/"
    assert "security_event_not_kept" in [line.message for line in caplog.records]
    issue(somebody("bob"), "laptop", [Scope.READ], NOW)
    assert ApiToken.objects.count() == 1
    monkeypatch.setattr(recorder, "_event", refuse)
    assert sign_in(visitor()).headers["Location"] == "/"


def test_a_failed_statement_leaves_the_transaction_of_the_caller_intact() -> None:
    ann = somebody()
    record(SecurityEvent.SIGN_IN, user=User(pk=ann.pk + 1), name="x", detail={"a": "\0"})
    assert User.objects.filter(pk=ann.pk).exists()


def test_entries_outlive_accounts_and_are_deleted_by_age() -> None:
    ann = somebody()
    record(SecurityEvent.SIGN_IN, user=ann)
    ann.delete()
    row = SecurityLogEntry.objects.get(kind="sign_in")
    assert (row.user, row.name) == (None, "ann")
    assert forget(row.at + timedelta(days=364))["security"] == 0
    assert forget(row.at + timedelta(days=366))["security"] == 1
