"""Webhooks: signed posts of events, retried for days, never lost, and never of hidden results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone
from standardwebhooks import Webhook, WebhookVerificationError

from damrak_ladder.accounts.models import Scope, User
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.attempts import start
from damrak_ladder.notices import webhooks as notice_webhooks
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.http_post import Postman
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.notices.models import Notice
from damrak_ladder.notices.webhooks import set_webhook, try_webhook
from damrak_ladder.webhooks.dispatch import HELD, JITTER, TRIES, WAITS, post_due, wait_after
from damrak_ladder.webhooks.endpoints import OVERLAP, add, disable, rotate
from damrak_ladder.webhooks.errors import TooManyEndpoints, UnknownTarget
from damrak_ladder.webhooks.fan_out import fan_out
from damrak_ladder.webhooks.manual_deliveries import replay, try_endpoint
from damrak_ladder.webhooks.models import Endpoint, Post, PostState, Target
from ladder.calls import MEMORY, Program, problem_of
from ladder.interruptions import is_dead_after
from ladder.people import NOW, somebody
from ladder.receivers import Receiver, receiving
from ladder.tables import PATIENCE, some_block
from ladder.tournaments.cups import act, play, started

LOCAL = Postman(allow_loopback=True, patience=600)


@pytest.fixture(autouse=True)
def _local(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DAMRAK_LOCAL_WEBHOOKS = True
    settings.DAMRAK_NEEDS_SECOND_FACTOR = False
    settings.CACHES = MEMORY
    monkeypatch.setattr(notice_webhooks, "Postman", partial(Postman, patience=600))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as it:
        yield it


def endpoint_at(receiver: Receiver, target: Target, name: str = "", user: Any = None) -> Endpoint:
    made, _ = add(user or somebody("olivia"), receiver.url, target, name, NOW, LOCAL)
    fan_out(NOW)
    return made


def received(receiver: Receiver) -> list[dict[str, Any]]:
    return [json.loads(body) for _, body in receiver.heard]


def posted(now: datetime = NOW) -> int:
    """Create and post everything that is due."""
    fan_out(now)
    total = 0
    while count := post_due(now, LOCAL):
        total += count
    return total


def verified(secret: str, heard: tuple[dict[str, str], bytes]) -> Any:
    headers, body = heard
    return Webhook(secret).verify(body, headers)


@pytest.mark.usefixtures("database")
def test_the_library_of_the_specification_verifies_posts_through_a_rotation(
    receiver: Receiver,
) -> None:
    now, ann = timezone.now(), somebody()
    endpoint, first = add(ann, receiver.url, Target.NOTICES, "", now, LOCAL)
    fan_out(now)
    tell(ann, Kind.QUALIFIED, "a", "Subject", "Text", "/bots/a/", now)
    assert posted(now) == 1
    notice = Notice.objects.get()
    data = {"notice": notice.pk, "kind": "qualified", "link": "/bots/a/"}
    said = verified(first, receiver.heard[0])
    assert said == {"type": "notice.created", "timestamp": now.isoformat(), "data": data}
    second = rotate(endpoint, now)
    post, answer = try_endpoint(endpoint, now, LOCAL)
    assert answer.is_good
    for secret in (first, second):
        assert verified(secret, receiver.heard[1])["type"] == "test"
    assert receiver.heard[1][0]["webhook-id"] == post.message
    Endpoint.objects.update(former_until=now)  # the overlap is over
    endpoint.refresh_from_db()
    try_endpoint(endpoint, now, LOCAL)
    assert verified(second, receiver.heard[2])
    with pytest.raises(WebhookVerificationError):
        verified(first, receiver.heard[2])
    headers, body = receiver.heard[2]
    for altered in ({**headers, "webhook-id": "x"}, {**headers, "webhook-timestamp": "1"}):
        with pytest.raises(WebhookVerificationError):
            verified(second, (altered, body))
    with pytest.raises(WebhookVerificationError):
        verified(second, (headers, body + b" "))
    assert timedelta(hours=24) <= OVERLAP


@pytest.mark.usefixtures("database")
def test_the_webhook_of_notices_has_the_standard_headers_in_addition(receiver: Receiver) -> None:
    ann = somebody()
    secret = set_webhook(ann, receiver.url, timezone.now(), LOCAL)
    assert try_webhook(ann, timezone.now(), LOCAL)
    headers, body = receiver.heard[0]
    assert "x-damrak-signature" in headers
    assert Webhook(secret.encode()).verify(body, headers)["kind"] == "test"


@pytest.mark.usefixtures("database")
def test_events_of_a_bot_a_ladder_and_nothing_else(receiver: Receiver) -> None:
    block = some_block()
    bot = Version.objects.order_by("pk")[0].bot
    endpoint_at(receiver, Target.BOT, bot.slug)
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    assert posted() == 1
    [said] = received(receiver)
    matches = list(block.matches.order_by("number").values_list("pk", flat=True))
    bots = ["bot-0", "bot-1"]
    assert said["data"] == {"block": block.pk, "matches": matches, "bots": bots}
    assert posted() == 0
    ann = somebody()
    for target, name in (("bot", "x"), ("ladder", "x"), ("tournament", "x"), ("bot", "\0")):
        with pytest.raises(UnknownTarget):
            add(ann, receiver.url, Target(target), name, NOW, LOCAL)
    for _ in range(10):
        add(ann, receiver.url, Target.NOTICES, "", NOW, LOCAL)
    with pytest.raises(TooManyEndpoints):
        add(ann, receiver.url, Target.NOTICES, "", NOW, LOCAL)


@pytest.mark.usefixtures("database")
def test_hidden_results_are_posted_after_their_release(receiver: Receiver) -> None:
    tournament, user = started(2, reveal="hidden")
    with receiving() as desk:
        endpoint_at(receiver, Target.TOURNAMENT, "cup")
        endpoint_at(desk, Target.TOURNAMENT, "cup", user)
        play(tournament)
        tournament.refresh_from_db()
        posted()
        assert received(receiver) == []
        assert "block.finished" in {one["type"] for one in received(desk)}
        act(tournament, user, "release", {"round": 1, "level": "public"})
        posted()
        types = [one["type"] for one in received(receiver)]
        assert sorted(set(types)) == ["block.finished", "tournament.changed"]
        for one in received(receiver) + received(desk):
            assert one["data"].keys() <= {"block", "matches", "bots", "tournament"}


@pytest.mark.usefixtures("database")
def test_an_endpoint_receives_only_the_types_that_it_names_and_nothing_while_disabled(
    receiver: Receiver,
) -> None:
    block, ann = some_block(), somebody()
    slug = Version.objects.order_by("pk")[0].bot.slug
    for types in (["block.started"], ["block.finished", "notice.created"]):
        add(ann, receiver.url, Target.BOT, slug, NOW, LOCAL, types=types)
    silent = endpoint_at(receiver, Target.BOT, slug, ann)
    assert disable(silent, NOW)
    assert not disable(silent, NOW)
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    assert posted() == 1
    assert Post.objects.get().endpoint.types == ["block.started"]


@pytest.mark.usefixtures("database")
def test_a_delivery_is_retried_for_days_and_then_its_endpoint_is_disabled(
    receiver: Receiver,
) -> None:
    ann = somebody()
    endpoint = endpoint_at(receiver, Target.NOTICES, user=ann)
    tell(ann, Kind.QUALIFIED, "a", "Subject", "Text", "/bots/a/", NOW)
    receiver.statuses = [500] * 99
    fan_out(NOW)
    now, tries = NOW, []
    while Post.objects.filter(state=PostState.WAITING).exists():
        assert post_due(now, LOCAL) == 0
        tries.append(now)
        now = Post.objects.get().due
    waits = [after - before for before, after in pairwise(tries)]
    assert len(tries) == TRIES
    assert all(wait <= one <= wait * (1 + JITTER) for wait, one in zip(WAITS, waits, strict=True))
    assert timedelta(days=3) <= tries[-1] - tries[0] <= timedelta(days=4)
    assert {wait_after(1, 0), wait_after(1, 1)} == {WAITS[0], WAITS[0] * (1 + JITTER)}
    assert len(receiver.heard) == TRIES
    assert len({(headers["webhook-id"], body) for headers, body in receiver.heard}) == 1
    endpoint.refresh_from_db()
    assert (endpoint.disabled, endpoint.trouble) == (tries[-1], "The response was 500.")
    assert Notice.objects.filter(user=ann, kind=Kind.WEBHOOK_DISABLED).count() == 1
    fan_out(now)
    assert Post.objects.count() == 1  # the disabled endpoint receives nothing
    receiver.statuses = [500]
    assert not replay(Post.objects.get(), now, LOCAL).is_good
    assert Post.objects.get().state == PostState.DEAD
    assert replay(Post.objects.get(), now, LOCAL).is_good
    assert Post.objects.get().state == PostState.SENT
    assert receiver.heard[-1][0]["webhook-id"] == receiver.heard[0][0]["webhook-id"]


@pytest.mark.usefixtures("database")
def test_a_receiver_that_is_gone_is_disabled_at_once(receiver: Receiver) -> None:
    ann = somebody()
    endpoint_at(receiver, Target.NOTICES, user=ann)
    for key in "abcd":
        tell(ann, Kind.QUALIFIED, key, "Subject", "Text", "/bots/a/", NOW)
    receiver.statuses = [410, 410, 410]
    posted()
    assert Endpoint.objects.get().disabled == NOW
    assert set(Post.objects.values_list("state", flat=True)) == {PostState.DEAD}
    assert len(receiver.heard) == 3  # of one run


@pytest.mark.parametrize("after", range(1, 16))
@pytest.mark.parametrize("committed", ["sqlite"], indirect=True)
def test_no_event_is_lost_or_created_twice_if_the_process_is_killed(
    committed: dict[str, str], after: int, receiver: Receiver
) -> None:
    block = some_block()
    endpoint_at(receiver, Target.BOT, "bot-0")
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    is_dead_after(lambda: fan_out(NOW), after)
    fan_out(NOW)
    assert Post.objects.count() == 1
    is_dead_after(lambda: post_due(NOW, LOCAL), after)
    post_due(NOW + HELD, LOCAL)
    assert Post.objects.get().state == PostState.SENT
    assert len({headers["webhook-id"] for headers, _ in receiver.heard}) == 1


@pytest.mark.usefixtures("database")
def test_endpoints_through_the_api(receiver: Receiver) -> None:
    ann, bob = somebody("ann"), somebody("bob")
    program = Program(ann, (Scope.READ, Scope.SETTINGS))
    made = json.loads(program.post("me/webhooks", {"url": receiver.url}).content)
    assert made["secret"].startswith("whsec_")
    path = f"me/webhooks/{made['id']}"
    listed = json.loads(program.get("me/webhooks").content)
    assert listed == [{name: made[name] for name in made if name != "secret"}]
    assert json.loads(program.get(path).content) == listed[0]
    tested = json.loads(program.post(f"{path}/test").content)
    assert (tested["state"], tested["type"], tested["tries"]) == ("sent", "test", 1)
    receiver.statuses = [500]
    failed = json.loads(program.post(f"{path}/test").content)
    assert (failed["state"], failed["trouble"]) == ("dead", "The response was 500.")
    again = json.loads(program.post(f"{path}/deliveries/{failed['id']}/replay").content)
    assert (again["state"], again["tries"], again["message"]) == ("sent", 2, failed["message"])
    page = json.loads(program.get(f"{path}/deliveries?limit=1").content)
    assert [one["id"] for one in page["items"]] == [failed["id"]]
    rest = json.loads(program.get(f"{path}/deliveries?cursor={page['next_cursor']}").content)
    assert [one["id"] for one in rest["items"]] == [tested["id"]]
    renewed = json.loads(program.post(f"{path}/secret").content)
    assert renewed["secret"] != made["secret"]
    assert made["types"] == []
    assert json.loads(program.post(f"{path}/disable").content)["disabled"]
    assert json.loads(program.post(f"{path}/enable").content)["disabled"] is None
    other = Program(bob, (Scope.READ, Scope.SETTINGS))
    problem_of(other.get(path), 404, "not-found")
    problem_of(other.post(f"{path}/deliveries/{failed['id']}/replay"), 404, "not-found")
    problem_of(program.post("me/webhooks", {"url": "http://10.0.0.1/"}), 409, "bad-webhook")
    problem_of(program.post("me/webhooks", {"url": receiver.url, "types": ["x"]}), 422, "invalid")
    unknown = {"url": receiver.url, "target": "bot", "name": "x"}
    problem_of(program.post("me/webhooks", unknown), 404, "not-found")
    assert program.delete(path).status_code == 204
    assert not Post.objects.exists()
    assert User.objects.filter(pk=ann.pk).exists()
