"""Notices are sent once, retried after failures, and finally given up."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.core.mail.backends.filebased import EmailBackend as FileMailer
from django.core.mail.backends.locmem import EmailBackend as MemoryMailer
from django.core.mail.backends.smtp import EmailBackend as SmtpMailer
from django.db import connection

from damrak_ladder.accounts.models import User
from damrak_ladder.notices import webhooks
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.delivery import TRIES, Delivered, deliver, wait_after
from damrak_ladder.notices.errors import BadWebhook
from damrak_ladder.notices.http_post import Postman
from damrak_ladder.notices.inbox import dead
from damrak_ladder.notices.kinds import Channel, Kind
from damrak_ladder.notices.models import Delivery, DeliveryState, Webhook
from damrak_ladder.notices.rules import rules_of, set_rule
from damrak_ladder.notices.unsubscribe import find_user, stop_mails, stop_path
from damrak_ladder.notices.webhooks import (
    remove_webhook,
    renew_secret,
    set_webhook,
    try_webhook,
    webhook_of,
)
from ladder.people import NOW, somebody
from ladder.receivers import Receiver, receiving

LOCAL = Postman(allow_loopback=True, patience=600)


@pytest.fixture(autouse=True)
def _local_webhooks(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DAMRAK_LOCAL_WEBHOOKS = True
    monkeypatch.setattr(webhooks, "Postman", partial(Postman, patience=600))


@pytest.fixture
def outbox() -> list[Any]:
    mail.outbox = []
    return mail.outbox


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as it:
        yield it


class AwayMailer(MemoryMailer):
    """A mail server that is unavailable."""

    def send_messages(self, messages: Any) -> int:
        raise ConnectionRefusedError


def send(minutes: float = 0, mailer: Any = None) -> Delivered:
    return deliver(NOW + timedelta(minutes=minutes), LOCAL, mailer or MemoryMailer())


def tell_plainly(user: User, key: str = "a", kind: Kind = Kind.QUALIFIED) -> None:
    tell(user, kind, key, f"Notice {key}", f"Text {key}.", f"/bots/{key}/", NOW)


def only(user: User, channel: Channel) -> User:
    """Return the user with notices through this channel only."""
    for kind in Kind:
        for other in Channel:
            set_rule(user, kind, other, other is channel)
    return user


def states(user: User) -> list[str]:
    return list(Delivery.objects.filter(user=user).order_by("pk").values_list("state", flat=True))


# --- mail ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("database")
def test_a_mail_states_the_event_the_link_and_how_to_unsubscribe(outbox: list[Any]) -> None:
    ann = somebody()
    tell_plainly(ann)
    assert send() == Delivered(sent=1)
    [message] = outbox
    assert message.to == ["ann@example.org"]
    assert message.subject == "[Damrak] Notice a"
    assert f"Text a.\n{settings.DAMRAK_URL}/bots/a/\n" in message.body
    stop = settings.DAMRAK_URL + stop_path(ann)
    assert stop in message.body
    assert message.extra_headers["List-Unsubscribe"] == f"<{stop}>"
    assert send() == Delivered()


@pytest.mark.usefixtures("database")
def test_notices_due_at_one_moment_are_one_mail(outbox: list[Any]) -> None:
    ann, bob = somebody("ann"), somebody("bob")
    for key in "abc":
        tell_plainly(ann, key)
    tell_plainly(bob)
    assert send() == Delivered(sent=4)
    assert [(message.to[0], message.subject) for message in outbox] == [
        ("ann@example.org", "[Damrak] 3 notifications"),
        ("bob@example.org", "[Damrak] Notice a"),
    ]
    assert re.findall(r"^\* (.*)$", outbox[0].body, re.MULTILINE) == [
        "Notice a",
        "Notice b",
        "Notice c",
    ]


@pytest.mark.usefixtures("database")
def test_mails_become_files_by_default(tmp_path: Path) -> None:
    tell_plainly(somebody())
    assert send(mailer=FileMailer(file_path=str(tmp_path))) == Delivered(sent=1)
    [file] = tmp_path.iterdir()
    assert "Subject: [Damrak] Notice a" in file.read_text("utf-8")


@pytest.mark.usefixtures("database")
def test_a_failed_mail_is_sent_later(outbox: list[Any]) -> None:
    ann = somebody()
    tell_plainly(ann)
    assert send(mailer=AwayMailer()) == Delivered(failed=1)
    assert "mail server" in Delivery.objects.get().trouble
    assert send(minutes=4) == Delivered()
    assert send(minutes=5) == Delivered(sent=1)
    assert len(outbox) == 1


@pytest.mark.usefixtures("database")
def test_an_unavailable_real_mail_server_is_tolerated() -> None:
    tell_plainly(somebody())
    assert send(mailer=SmtpMailer(host="127.0.0.1", port=1, timeout=5)) == Delivered(failed=1)


@pytest.mark.usefixtures("database")
def test_a_server_that_refuses_all_mail_is_paused() -> None:
    for number in range(6):
        tell_plainly(somebody(f"user{number}"))
    assert send(mailer=AwayMailer()) == Delivered(failed=3)
    assert send() == Delivered(sent=3)


@pytest.mark.usefixtures("database")
def test_deactivated_user_gets_no_mail(outbox: list[Any]) -> None:
    ann = somebody()
    tell_plainly(ann)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert send() == Delivered(failed=1)
    assert not outbox


@pytest.mark.usefixtures("database")
def test_after_the_last_retry_it_is_given_up_and_its_user_sees_it() -> None:
    ann = somebody()
    tell_plainly(ann)
    moment = NOW
    for tries in range(1, TRIES + 1):
        assert deliver(moment, LOCAL, AwayMailer()) == Delivered(failed=1)
        moment += wait_after(tries)
    assert deliver(moment, LOCAL, MemoryMailer()) == Delivered()
    [lost] = dead(ann)
    assert lost.notice.key == "a"
    assert "mail server" in lost.trouble


@pytest.mark.usefixtures("database")
def test_the_link_in_a_mail_ends_all_mails_of_that_user_only(outbox: list[Any]) -> None:
    ann, bob = somebody("ann"), somebody("bob")
    tell_plainly(ann)
    token = stop_path(ann).split("/")[-2]
    assert find_user(token) == ann
    assert find_user(token.replace(str(ann.pk), str(bob.pk), 1)) is None
    assert find_user("") is None
    stop_mails(ann)
    tell_plainly(ann, "b")
    tell_plainly(bob)
    send()
    assert [message.to for message in outbox] == [["bob@example.org"]]
    assert not any(Channel.MAIL in row.wanted for row in rules_of(ann))


# --- webhooks ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("database")
def test_a_post_contains_the_notice_and_is_signed(receiver: Receiver) -> None:
    ann = only(somebody(), Channel.WEBHOOK)
    secret = set_webhook(ann, receiver.url, NOW)
    tell_plainly(ann)
    assert send(minutes=1) == Delivered(sent=1)
    [(headers, body)] = receiver.heard
    said = json.loads(body)
    assert said == {
        "format": "damrak-notice/1",
        "id": Delivery.objects.get().notice_id,
        "kind": "qualified",
        "subject": "Notice a",
        "text": "Text a.",
        "link": f"{settings.DAMRAK_URL}/bots/a/",
        "created": NOW.isoformat(),
    }
    assert headers["x-damrak-notice"] == str(said["id"])
    moment, digest = (part.split("=")[1] for part in headers["x-damrak-signature"].split(","))
    assert int(moment) == int((NOW + timedelta(minutes=1)).timestamp())
    signed = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256)
    assert digest == signed.hexdigest()
    assert secret not in str(vars(webhook_of(ann)))


@pytest.mark.usefixtures("database")
def test_a_post_that_was_refused_is_posted_again(receiver: Receiver) -> None:
    ann = only(somebody(), Channel.WEBHOOK)
    set_webhook(ann, receiver.url, NOW)
    tell_plainly(ann)
    receiver.statuses = [500, 503]
    assert send() == Delivered(failed=1)
    assert send(minutes=5) == Delivered(failed=1)
    assert send(minutes=14) == Delivered()
    assert send(minutes=15) == Delivered(sent=1)
    assert len({body for _, body in receiver.heard}) == 1
    assert states(ann) == [DeliveryState.SENT]


@pytest.mark.usefixtures("database")
def test_one_refused_delivery_does_not_delay_others(receiver: Receiver) -> None:
    ann = only(somebody(), Channel.WEBHOOK)
    set_webhook(ann, receiver.url, NOW)
    for key in "ab":
        tell_plainly(ann, key)
    receiver.statuses = [500]
    assert send() == Delivered(sent=1, failed=1)


@pytest.mark.usefixtures("database")
def test_long_lines_do_not_delay_other_flows(receiver: Receiver) -> None:
    ann, bob = (only(somebody(name), Channel.WEBHOOK) for name in ("ann", "bob"))
    for user in (ann, bob):
        set_webhook(user, receiver.url, NOW)
    for number in range(100):
        tell_plainly(ann, f"a{number}")
    tell_plainly(bob, "b")
    assert send() == Delivered(sent=4)
    assert states(bob) == [DeliveryState.SENT]


@pytest.mark.usefixtures("database")
def test_many_notices_are_posted_in_batches_in_order(receiver: Receiver) -> None:
    ann = only(somebody(), Channel.WEBHOOK)
    set_webhook(ann, receiver.url, NOW)
    for key in "abcde":
        tell_plainly(ann, key)
    assert send() == Delivered(sent=3)
    assert send() == Delivered(sent=2)
    heard = [json.loads(body)["subject"][-1] for _, body in receiver.heard]
    assert heard == list("abcde")


@pytest.mark.usefixtures("database")
def test_a_new_secret_ends_the_old_one(receiver: Receiver) -> None:
    ann = somebody()
    assert renew_secret(ann, NOW) is None
    first = set_webhook(ann, receiver.url, NOW)
    second = renew_secret(ann, NOW + timedelta(days=1))
    third = set_webhook(ann, receiver.url, NOW + timedelta(days=2))
    assert len({first, second, third}) == 3
    webhook = webhook_of(ann)
    assert webhook
    assert (webhook.created, webhook.renewed) == (NOW, NOW + timedelta(days=2))


@pytest.mark.usefixtures("database")
def test_a_bad_address_is_refused_at_once() -> None:
    ann = somebody()
    with pytest.raises(BadWebhook, match="https"):
        set_webhook(ann, "http://example.org/", NOW)
    assert webhook_of(ann) is None


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("url", "places"),
    [
        ("https://10.0.0.1/", ["10.0.0.1"]),
        ("https://[::1]/", ["::1"]),
        ("https://169.254.169.254/latest", ["169.254.169.254"]),
        ("https://2130706433/", ["127.0.0.1"]),  # a resolver interprets the number as an address
        ("https://inside.example.org/", ["93.184.215.14", "192.168.1.1"]),
        ("https://nowhere.example.org/", []),
    ],
)
def test_unusable_webhooks_are_refused_at_once(url: str, places: list[str]) -> None:
    postman = Postman(False, resolve=lambda host, port: places)
    ann = somebody()
    with pytest.raises(BadWebhook) as refused:
        set_webhook(ann, url, NOW, postman)
    assert webhook_of(ann) is None
    assert postman.post(url, b"", {}).trouble == str(refused.value)


@pytest.mark.usefixtures("database")
def test_without_a_webhook_nothing_waits_for_it(receiver: Receiver) -> None:
    ann = only(somebody(), Channel.WEBHOOK)
    set_webhook(ann, receiver.url, NOW)
    tell_plainly(ann)
    assert remove_webhook(ann)
    assert not remove_webhook(ann)
    assert not states(ann)
    assert send() == Delivered()


@pytest.mark.usefixtures("database")
def test_a_webhook_can_be_tried_out(receiver: Receiver) -> None:
    ann = somebody()
    assert try_webhook(ann, NOW) is None
    set_webhook(ann, receiver.url, NOW)
    receiver.statuses = [200, 404]
    first, second = try_webhook(ann, NOW), try_webhook(ann, NOW)
    assert first
    assert first.is_good
    assert second
    assert second.trouble == "The response was 404."
    assert json.loads(receiver.heard[0][1])["kind"] == "test"


# --- concurrency ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("database")
def test_crashed_sender_is_replaced_after_a_while(outbox: list[Any]) -> None:
    class Death(BaseException):
        pass

    class DeadlyMailer(MemoryMailer):
        def send_messages(self, messages: Any) -> int:
            raise Death

    tell_plainly(somebody())
    with pytest.raises(Death):
        send(mailer=DeadlyMailer())
    assert send(minutes=4) == Delivered()
    assert send(minutes=5) == Delivered(sent=1)


@pytest.mark.usefixtures("database")
def test_late_failure_does_not_override_another_sender(outbox: list[Any]) -> None:
    class SlowMailer(MemoryMailer):
        def send_messages(self, messages: Any) -> int:
            assert send(minutes=5) == Delivered(sent=1)
            raise ConnectionRefusedError

    ann = somebody()
    tell_plainly(ann)
    assert send(mailer=SlowMailer()) == Delivered(failed=1)
    assert states(ann) == ["sent"]
    assert Delivery.objects.get().trouble == ""


@pytest.mark.usefixtures("database")
def test_crash_in_the_last_try_leaves_nothing_waiting() -> None:
    ann = somebody()
    tell_plainly(ann)
    Delivery.objects.update(tries=TRIES, due=NOW)
    assert send() == Delivered()
    assert dead(ann)[0].trouble


def test_deliverers_at_once_send_everything_once(
    committed: dict[str, str], receiver: Receiver, outbox: list[Any]
) -> None:
    for number in range(4):
        user = somebody(f"user{number}")
        set_webhook(user, receiver.url, NOW)
        for key in "abc":
            tell_plainly(user, key)

    def work(_: int) -> Delivered:
        try:
            return send()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(work, range(4)))
    assert sum(one.sent for one in done) == Delivery.objects.count() == 24
    assert len({headers["x-damrak-notice"] for headers, _ in receiver.heard}) == 12
    assert len(receiver.heard) == 12
    told = [key for message in outbox for key in re.findall(r"^Text (\w)", message.body, re.M)]
    assert len(told) == 12


@pytest.mark.usefixtures("database")
def test_the_queries_of_a_go_do_not_grow_with_what_was_sent_before(
    django_assert_max_num_queries: Any,
) -> None:
    ann = somebody()
    for key in range(30):
        tell_plainly(ann, str(key))
    send()
    assert Webhook.objects.count() == 0
    with django_assert_max_num_queries(4):
        send()
