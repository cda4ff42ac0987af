"""Streams, webhooks and open data of a platform that plays, while its processes are killed."""

from __future__ import annotations

import http.client
import json
import os
import signal
import urllib.request
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pytest
from standardwebhooks import Webhook

from ladder.api.generated_client import act_on, generated
from ladder.embedded.platforms import (
    NEEDS_LINUX,
    PATIENCE,
    Platform,
    new_home,
    play_short_games,
    run,
    wait_for,
)
from ladder.receivers import Receiver, receiving
from ports import free_port

pytestmark = [pytest.mark.soak, NEEDS_LINUX]

CUTS: Final = 10
EVENTS: Final = 3  # that a webhook accepts, at least
ISSUE: Final = """
from django.utils import timezone
from damrak_ladder.accounts.models import User
from damrak_ladder.accounts.tokens import issue
user = User.objects.get(username="{}")
print(issue(user, "t", ["read", "settings", "submit", "organise"], timezone.now())[1])
"""
BLOCKS: Final = 20
SENT: Final = "SELECT COUNT(*) FROM webhooks_post WHERE state = 'sent'"
ENDED: Final = "SELECT id FROM matches_block WHERE state = 'recorded'"


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with new_home() as folder:
        yield folder


@pytest.fixture(scope="module")
def platform(home: Path) -> Iterator[Platform]:
    more = {"DAMRAK_LADDER_LOCAL_WEBHOOKS": "yes"}
    with Platform(home, free_port(), "--workers", "2", **more) as running:
        running.wait_until_up()
        play_short_games(home, running.port)
        yield running


def kill(platform: Platform, name: str) -> None:
    """Kill a process of the platform, which starts another one."""
    wait_for(lambda: name in platform.parts())
    os.kill(platform.parts()[name], signal.SIGKILL)


def messages(platform: Platform, token: str, **query: str) -> Iterator[dict[str, Any]]:
    """Yield the messages of a stream, until it is cut; closing the generator cuts it."""
    words = "&".join(f"{name}={value}" for name, value in query.items())
    path = f"/api/v1/stream?topic=matches&since_token={token}&{words}"
    with closing(http.client.HTTPConnection("127.0.0.1", platform.port, timeout=PATIENCE)) as link:
        try:
            link.request("GET", path)
            answer = link.getresponse()
            assert answer.status in {200, 502, 503}, answer.read()
            while answer.status == 200 and (line := answer.readline()).endswith(b"\n"):
                yield json.loads(line)
        except (OSError, http.client.HTTPException):
            return  # the process has been killed


def is_end_of_block(message: dict[str, Any]) -> bool:
    return bool(message["type"] == "block.finished")


def event_of(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message without its token, which is another one each time it is sent."""
    return {name: value for name, value in message.items() if name != "token"}


def recorded(platform: Platform) -> set[int]:
    return set(platform.numbers(ENDED))


def test_a_stream_that_is_cut_ten_times_has_every_event_once(platform: Platform) -> None:
    with closing(messages(platform, "")) as opening:
        first = token = next(opening)["token"]
    before = recorded(platform)
    received: list[dict[str, Any]] = []
    for cut in range(CUTS):
        wanted = len(received) + 1 + cut % 2
        while len(received) < wanted:
            with closing(messages(platform, token)) as stream:
                for message in stream:
                    token = message["token"]
                    received += [message] if is_end_of_block(message) else []
                    if len(received) == wanted:
                        break
        if cut in {3, 7}:
            kill(platform, "site")
            wait_for(lambda: platform.health()[0] == 200)
    after = recorded(platform)
    rest = [one for one in messages(platform, token, follow="false") if is_end_of_block(one)]
    whole = [one for one in messages(platform, first, follow="false") if is_end_of_block(one)]
    received += rest
    assert [event_of(one) for one in received] == [event_of(one) for one in whole[: len(received)]]
    blocks = [message["block"] for message in received]
    assert len(set(blocks)) == len(blocks) > CUTS
    assert after - before <= set(blocks)


def test_webhooks_arrive_through_failures_of_both_sides(home: Path, platform: Platform) -> None:
    ask = partial(request, platform, token_of_admin(home, platform))
    with receiving() as receiver:
        receiver.refusals = 1
        body = {"url": receiver.url, "target": "ladder", "name": "amsterdam"}
        endpoint = ask("POST", "me/webhooks", body | {"types": ["block.finished"]})
        heard = Deliveries(receiver, endpoint["secret"])
        with closing(messages(platform, "")) as opening:
            first = next(opening)["token"]
        wait_for(heard.messages)
        kill(platform, "clerk")
        wait_for(lambda: len(heard.accepted()) >= EVENTS)
        finished = {
            message["block"]
            for message in messages(platform, first, follow="false", ladder="amsterdam")
            if is_end_of_block(message)
        }
        assert len(finished) >= EVENTS - 1
        wait_for(lambda: finished <= heard.accepted())
        path = f"me/webhooks/{endpoint['id']}/deliveries"
        wait_for(lambda: platform.count(SENT))
        oldest = next(one for one in ask("GET", path)["items"][::-1] if one["state"] == "sent")
        assert oldest["tries"] > receiver.refusals
        before = heard.messages().count(oldest["message"])
        again = ask("POST", f"{path}/{oldest['id']}/replay")
        assert again["message"] == oldest["message"]
        assert heard.messages().count(oldest["message"]) == before + 1
        ask("DELETE", f"me/webhooks/{endpoint['id']}")


def token_of_admin(home: Path, platform: Platform) -> str:
    shell = ("manage", "shell", "-v", "0", "-c", ISSUE.format(platform.admin))
    return run(home, platform.port, *shell).stdout.split()[-1]


class Deliveries:
    """What a receiver got: verified soon, because signatures are valid for five minutes."""

    def __init__(self, receiver: Receiver, secret: str) -> None:
        self._receiver = receiver
        self._verify = Webhook(secret).verify
        self._events: list[tuple[str, int]] = []  # the message and its block

    def messages(self) -> list[str]:
        """Return the ids of all messages, with repetitions, in order."""
        for headers, body in self._receiver.heard[len(self._events) :]:
            block = self._verify(body, headers)["data"]["block"]
            self._events.append((headers["webhook-id"], block))
        return [message for message, _ in self._events]

    def accepted(self) -> set[int]:
        """Return the blocks of the messages that the receiver has accepted."""
        count = Counter(self.messages())
        return {
            block for message, block in self._events if count[message] > self._receiver.refusals
        }


def request(platform: Platform, token: str, method: str, path: str, body: Any = None) -> Any:
    """Return the answer of the API."""
    asked = urllib.request.Request(
        f"http://127.0.0.1:{platform.port}/api/v1/{path}",
        None if body is None else json.dumps(body).encode(),
        {"Authorization": f"Bearer {token}"},
        method=method,
    )
    with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
        return json.loads(answer.read() or "null")


def test_a_generated_client_submits_a_bot_and_runs_a_tournament(
    home: Path, platform: Platform, tmp_path: Path
) -> None:
    site = f"http://127.0.0.1:{platform.port}"
    with urllib.request.urlopen(f"{site}/api/v1/openapi.json", timeout=PATIENCE) as answer:
        description = answer.read().decode()
    with (
        generated(tmp_path, description) as package,
        package.calling(site, token_of_admin(home, platform)) as call,
    ):
        models = package.models
        assert call("create_bot", body=models.NewBot(slug="ferry")).status_code == 201
        archive = package.types.File(payload=BytesIO(bot_archive()), file_name="ferry.zip")
        version = call("submit_archive", slug="ferry", body=archive, note="first").parsed
        wait_for(lambda: call("list_steps", version_id=version.id).parsed.is_over)
        assert call("get_version", version_id=version.id).parsed.state == "qualified"

        stage = models.NewStage(format_=models.Format.ROUND_ROBIN)
        rules = models.NewRules(stages=[stage], boards=["practice"])
        new = models.NewTournament(slug="spring-cup", name="Spring Cup", rules=rules)
        assert call("create_tournament", body=new, idempotency_key="k1").status_code == 201
        act = partial(act_on, call, package, "spring-cup")
        act("open")
        entry = models.NewEntry(bot="ferry")
        assert call("enter_tournament", slug="spring-cup", body=entry).status_code == 201
        for slug in ("house-random", "house-greedy"):
            act("enter", slug=slug)
        act("close")
        act("start")
        over = models.TournamentPhase.OVER
        wait_for(lambda: call("get_tournament", slug="spring-cup").parsed.phase == over)
        act("finalise")
        rows = call("get_standings", slug="spring-cup").parsed.stages[0].rows
        assert {row.bot for row in rows} == {"ferry", "house-random", "house-greedy"}
        assert all(row.played == 2 for row in rows)


def bot_archive() -> bytes:
    """Return an archive with a bot that plays the last legal move."""
    source = (
        "from damrak import Bot\n\n\nclass Last(Bot):\n"
        "    def choose(self, view):\n        return view.legal[-1]\n"
    )
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("bot.py", source)
    return made.getvalue()


def test_a_full_dump_equals_the_database(
    home: Path, platform: Platform, tmp_path: Path, django_db_blocker: Any
) -> None:
    """While games are played, and once more after the platform has stopped; the last test here."""
    from django.db import connection
    from django.test import override_settings

    from damrak import data
    from damrak_ladder.installation.databases import database_of
    from damrak_ladder.installation.environment import read_environment
    from damrak_ladder.matches.models import Block
    from ladder.databases import use_database
    from ladder.open_data.comparison import compare, public_now
    from ladder.open_data.dumps import rows_of

    wait_for(lambda: platform.recorded() >= BLOCKS)
    for more in ((), ("--to", str(tmp_path))):
        done = run(home, platform.port, "dump", *more)
        assert done.returncode == 0, done.stderr
    early = {row["id"]: row for row in rows_of(tmp_path, "matches")}
    assert len(early) >= BLOCKS
    served = data.rows(f"http://127.0.0.1:{platform.port}", "matches")
    assert {row["id"] for row in served} <= set(early)
    assert platform.stop() == 0
    assert run(home, platform.port, "dump", "--to", str(tmp_path)).returncode == 0
    late = {row["id"]: row for row in rows_of(tmp_path, "matches")}
    assert {number: late[number] for number in early} == early
    variables = {"DAMRAK_HOME": str(home)}
    with django_db_blocker.unblock(), override_settings(DAMRAK_HOME=home):
        use_database(database_of(read_environment(variables)))
        try:
            tournaments = Block.objects.filter(purpose="tournament")
            hidden = set(tournaments.values_list("pk", flat=True)) - set(public_now())
            assert compare(tmp_path, hidden) >= BLOCKS
        finally:
            connection.close()
