"""Running matches, watched on the site through the service of a real referee."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connections
from django.http import StreamingHttpResponse
from django.test import AsyncClient, Client, RequestFactory, override_settings

import tables
from damrak_engine.replay import Replay
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.models import Block, BlockState, Host, Match
from damrak_ladder.web.replays import live, views
from damrak_ladder.web.replays.live import Studio
from damrak_ladder.web.replays.moments import moments_of
from damrak_ladder.web.replays.viewpoints import TABLE
from damrak_referee.server.watch_service import Feeds, WatchService
from ladder.films import recorded_films
from ladder.people import NOW
from ladder.tables import PATIENCE, some_block

pytestmark = pytest.mark.usefixtures("committed")


def running_match() -> Match:
    """Return a running match on a host."""
    host = Host.objects.create(name="mint", first_seen=NOW, last_seen=NOW)
    block = some_block()
    assert start(block.pk, 0, "worker", NOW, PATIENCE, host.pk)
    return block.matches.get(number=0)


@dataclass
class Screen:
    """The messages that one watcher has received."""

    names: list[str] = field(default_factory=list)
    moments: list[Any] = field(default_factory=list)
    place: str = ""

    def take(self, frame: bytes) -> None:
        if frame.startswith(b":"):
            return  # a keep-alive comment
        lines = dict(line.split(": ", 1) for line in frame.decode().strip().split("\n"))
        self.names.append(lines["event"])
        self.place = lines.get("id", self.place)
        data = json.loads(lines["data"])
        if lines["event"] == "setting":
            self.moments.clear()  # a reset: all following moments start again
        if lines["event"] == "moments":
            assert data["first"] == len(self.moments)
            self.moments += data["moments"]

    async def watch(self, studio: Studio, match: int, until: int = 1 << 30) -> Screen:
        async with aclosing(studio.watch(match, self.place)) as frames:
            async for frame in frames:
                self.take(frame)
                if len(self.moments) >= until:
                    break
        return self


@sync_to_async
def leave_database() -> None:
    """Close the database connection of the event loop's thread: the next test has another."""
    connections["default"].close()
    del connections["default"]


@asynccontextmanager
async def referee(match: Match, feeds: Feeds) -> AsyncIterator[list[str]]:
    """Yield the list of callers of a host's service."""
    calls: list[str] = []

    class Counting(grpc.aio.ServerInterceptor):  # type: ignore[misc]
        async def intercept_service(self, continuation: Any, details: Any) -> Any:
            calls.append(details.method)
            return await continuation(details)

    with tempfile.TemporaryDirectory() as folder:
        server = grpc.aio.server(interceptors=(Counting(),))
        server.add_generic_rpc_handlers((WatchService(feeds).handlers(),))
        address = f"unix:{folder}/control"
        server.add_insecure_port(address)
        await server.start()
        await Host.objects.filter(blocks__matches=match).aupdate(control=address)
        try:
            yield calls
        finally:
            feeds.close()
            await server.stop(None)
            await leave_database()


async def whole_match(room: tables.Hall) -> Replay:
    clients = [await room.sit(seat) for seat in range(2)]
    await tables.everyone_plays(clients)
    outcome = await room.outcome()
    assert outcome.replay is not None
    return outcome.replay


def public(replay: Replay) -> list[Any]:
    """Return the moments of the recorded match, without times and the end."""
    moments = json.loads(json.dumps(moments_of(replay, TABLE)["moments"]))[: len(replay.events)]
    return [clean(moment) for moment in moments]


def clean(moment: list[Any]) -> list[Any]:
    event, changes = moment
    timeless = {
        name: value for name, value in changes.items() if name[0] != "m" and name != "actor"
    }
    return [{name: value for name, value in event.items() if name != "ms"}, timeless]


def test_all_watchers_see_the_match_and_the_referee_sees_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "FRESH_SECONDS", tables.PATIENCE)
    match = running_match()

    async def main() -> None:
        feeds = Feeds(tables.PATIENCE)
        async with (
            tables.hall(2, match=str(match.pk)) as room,
            referee(match, feeds) as calls,
        ):
            feeds.add(room.table.feed)
            studio = Studio()
            early = [asyncio.create_task(Screen().watch(studio, match.pk)) for _ in range(20)]
            interrupted = asyncio.create_task(Screen().watch(studio, match.pk, until=1))
            replay = await whole_match(room)
            broken = await interrupted
            screens = await asyncio.gather(*early)
            screens.append(await Screen().watch(studio, match.pk))
            turns = max(changes.get("turn", 0) for _event, changes in screens[-1].moments)
            assert await studio.turns(match.pk) == turns > 1
            assert broken.place == f"1-{len(broken.moments)}"
            returned = await broken.watch(studio, match.pk)
            for screen in (*screens, returned):
                assert [clean(moment) for moment in screen.moments] == public(replay)
                assert screen.names[-1] == "over"
            assert returned.names.count("setting") == 1
            assert all("replay" not in screen.names for screen in screens)
            assert [call for call in calls if call.endswith("WatchMatch")] == [calls[0]]

    tables.run(main())


def test_new_attempt_starts_over() -> None:
    match = running_match()

    async def main() -> None:
        feeds = Feeds(tables.PATIENCE)
        async with (
            tables.hall(2, match=str(match.pk)) as first,
            tables.hall(2, match=str(match.pk), attempt=2) as second,
            referee(match, feeds),
        ):
            feeds.add(first.table.feed)
            studio = Studio()
            screen = Screen()
            watching = asyncio.create_task(screen.watch(studio, match.pk))
            while not screen.names:
                await asyncio.sleep(0.01)
            first.table.feed.void("host", "It went away.")
            while "void" not in screen.names:
                await asyncio.sleep(0.01)
            feeds.add(second.table.feed)
            replay = await whole_match(second)
            await watching
            assert screen.names.count("setting") == 2
            assert screen.names.count("void") == 1
            assert [clean(moment) for moment in screen.moments] == public(replay)

    tables.run(main())


def test_abandoned_match_is_over() -> None:
    match = running_match()
    Block.objects.filter(pk=match.block_id).update(
        state=BlockState.WAITING, lease_until=None, lease_owner=""
    )

    async def main() -> None:
        screen = await Screen().watch(Studio(), match.pk)
        assert screen.names == ["over"]
        assert await Studio().turns(match.pk) is None
        await leave_database()

    tables.run(main())


def test_short_database_outage_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    match = running_match()
    answers: list[Exception | None] = [OperationalError("no connection"), None]

    async def address_of(_: int) -> str | None:
        answer = answers.pop(0)
        if answer is not None:
            raise answer
        return None

    monkeypatch.setattr(live, "_address_of", address_of)

    async def main() -> None:
        async with asyncio.timeout(600):
            screen = await Screen().watch(Studio(), match.pk)
        assert screen.names == ["over"]
        assert not answers

    tables.run(main())


def test_browsers_stop_asking_for_what_is_not_played(client: Client) -> None:
    match = running_match()
    Block.objects.filter(pk=match.block_id).update(
        state=BlockState.WAITING, lease_until=None, lease_owner=""
    )
    assert client.get(f"/matches/{match.pk}/live/").status_code == 204


def test_one_address_has_a_limit_of_places(monkeypatch: pytest.MonkeyPatch) -> None:
    match = running_match()
    studio = Studio()
    monkeypatch.setattr(views, "STUDIO", studio)

    async def asked(address: str) -> list[bytes]:
        request = RequestFactory().get(f"/matches/{match.pk}/live/", REMOTE_ADDR=address)
        answer = await views.live(request, match.pk)
        assert isinstance(answer, StreamingHttpResponse)
        frames = answer.__aiter__()
        first = await anext(frames)
        return [first, *[frame async for frame in frames]]

    async def address_of(_: int) -> str | None:
        await asyncio.sleep(3600)
        return None

    async def main() -> None:
        seen = [asyncio.create_task(asked(f"2001:db8::{number}")) for number in range(2)]
        while studio.watchers < 2:
            await asyncio.sleep(0)
        full = await asked("2001:db8::ffff")
        assert full == [b"retry: 30000\n", b"event: full\ndata: {}\n\n"]
        other = asyncio.create_task(asked("2001:db8:1::1"))
        while studio.watchers < 3:
            await asyncio.sleep(0)
        for task in [*seen, other]:
            task.cancel()
        await asyncio.gather(*seen, other, return_exceptions=True)
        assert not studio.is_full("2001:db8::1", 1)
        await leave_database()

    monkeypatch.setattr(live, "_address_of", address_of)
    with override_settings(DAMRAK_WATCHERS_PER_ADDRESS=2):
        tables.run(main())


def test_browsers_are_notified_when_the_replay_exists() -> None:
    [match, *_] = recorded_films(2)

    async def main() -> None:
        client = AsyncClient()
        answer = await client.get(f"/matches/{match.pk}/live/")
        assert isinstance(answer, StreamingHttpResponse)
        assert answer.headers["Content-Type"] == "text/event-stream"
        assert [frame async for frame in answer] == [b"event: recorded\ndata: {}\n\n"]
        await leave_database()

    tables.run(main())


@pytest.mark.parametrize("state", [BlockState.RUNNING, BlockState.WAITING])
def test_page_of_a_running_match_waits_for_events(client: Client, state: BlockState) -> None:
    match = running_match()
    if state == BlockState.WAITING:
        Block.objects.filter(pk=match.block_id).update(
            state=state, lease_until=None, lease_owner=""
        )
    page = client.get(f"/en/matches/{match.pk}/").content.decode()
    assert "data-live" in page
    assert "Waiting for the match to begin" in page
    assert 'class="seat ' not in page
    assert "viewer-moments" not in page
    assert f'property="og:url" content="http://testserver/en/matches/{match.pk}/"' in page
    assert "og:image" not in page
