"""The pages of webhooks: creation, tests, rotation, repetition, disabling and removal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from standardwebhooks import Webhook

from damrak_ladder.notices import webhooks as notice_webhooks
from damrak_ladder.notices.http_post import Postman
from damrak_ladder.webhooks.models import Endpoint, Post
from ladder.people import somebody
from ladder.receivers import Receiver, receiving
from ladder.tables import some_versions
from ladder.visitors import page, visitor

LIST = "/desk/webhooks/"


@pytest.fixture
def receiver(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    settings.DAMRAK_LOCAL_WEBHOOKS = True
    monkeypatch.setattr(notice_webhooks, "Postman", partial(Postman, patience=600))
    with receiving() as it:
        yield it


def secret_in(text: str) -> str:
    return re.findall(r"whsec_[\w+/=]+", text)[0]


@pytest.mark.usefixtures("database")
def test_a_webhook_from_its_creation_to_its_removal(receiver: Receiver) -> None:
    client = visitor(somebody())
    bot = some_versions()[0].bot.slug
    assert "You have no webhooks yet" in page(client, LIST)
    form = {"url": receiver.url, "target": "bot", "name": bot, "types": ["block.finished"]}
    made = client.post(f"/en{LIST}", form).content.decode()
    endpoint = Endpoint.objects.get()
    assert (endpoint.name, endpoint.types) == (bot, ["block.finished"])
    own = f"{LIST}{endpoint.pk}/"
    assert "whsec_" not in page(client, own)
    assert "Nothing has been posted yet" in page(client, own)

    def do(action: str) -> str:
        return client.post(f"/en{own}", {"do": action}, follow=True).content.decode()

    assert "The event was delivered." in do("test")
    headers, body = receiver.heard[0]
    assert Webhook(secret_in(made)).verify(body, headers)["type"] == "test"
    receiver.statuses = [500]
    assert "The response was 500." in do("test")
    failed = Post.objects.get(state="dead")
    again = client.post(f"/en{own}deliveries/{failed.pk}/replay/", follow=True).content.decode()
    assert "The event was delivered." in again
    failed.refresh_from_db()
    assert (failed.state, failed.tries) == ("sent", 2)
    assert secret_in(do("rotate")) != secret_in(made)
    assert Endpoint.objects.get().former_until is not None

    assert "Disable the webhook?" in page(client, f"{own}disable/")
    assert Endpoint.objects.get().disabled is None
    client.post(f"/en{own}disable/")
    assert "Disabled since" in page(client, own)
    assert "disabled" in page(client, LIST)
    assert "The webhook is enabled." in do("enable")
    assert Endpoint.objects.get().disabled is None
    assert "Remove the webhook?" in page(client, f"{own}remove/")
    client.post(f"/en{own}remove/")
    assert not Endpoint.objects.exists()


@pytest.mark.usefixtures("database")
def test_mistakes_are_reported_beside_their_field(receiver: Receiver) -> None:
    client = visitor(somebody())
    for form, said in (
        ({"url": "https://10.0.0.1/", "target": "notices"}, "errorlist"),
        ({"url": receiver.url, "target": "bot", "name": "x"}, "There is no bot, ladder or"),
        ({"url": receiver.url, "target": "bot", "name": "\0"}, "errorlist"),
        ({"url": receiver.url, "target": "x"}, "errorlist"),
        ({"url": receiver.url, "target": "notices", "types": ["x"]}, "errorlist"),
    ):
        assert said in client.post(f"/en{LIST}", form).content.decode(), form
    assert not Endpoint.objects.exists()
    for _ in range(3):  # a limit of ten, of which none was used
        client.post(f"/en{LIST}", {"url": receiver.url, "target": "notices"})
    assert Endpoint.objects.count() == 3
    Endpoint.objects.bulk_create(
        Endpoint(
            user=one.user, url=one.url, target="notices", created=one.created, renewed=one.created
        )
        for one in [Endpoint.objects.all()[0]] * 7
    )
    answer = client.post(f"/en{LIST}", {"url": receiver.url, "target": "notices"})
    assert "You have 10 webhooks" in answer.content.decode()
    other = visitor(somebody("bob"))
    page(other, f"{LIST}{Endpoint.objects.all()[0].pk}/", 404)
