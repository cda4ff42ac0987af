"""Watching matches: from the beginning, late, again, by many, and slowly."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

import tables
from damrak_engine.effects import Voided
from damrak_engine.events import Blind, Deal, Keep, Offer, seen_by
from damrak_engine.replay import parse_replay
from damrak_engine.rules import Rules
from damrak_proto.v1 import watch_pb2
from damrak_referee.server.watch_service import Feeds, WatchService
from damrak_referee.table import feed as feed_module
from damrak_referee.table.feed import Feed
from damrak_wire import table as wire
from damrak_wire.watch import (
    Clocks,
    Happened,
    MatchSetting,
    WatchEnding,
    decode_matches,
    parse_seen,
)
from tables import LeapingLoop, hall, leap, run


class Watcher:
    """A client that watches a match."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self.rules: Rules | None = None
        self.events: list[Any] = []

    async def see(self) -> Any:
        """Return the next message; None at the end."""
        data = await self.call.read()
        if not isinstance(data, bytes):
            return None
        seen = parse_seen(data, self.rules)
        if isinstance(seen, MatchSetting):
            self.rules = seen.rules
            self.events = []
        if isinstance(seen, Happened):
            assert seen.first == len(self.events)
            self.events += seen.events
        return seen

    async def see_until(self, kind: Any) -> Any:
        while not isinstance(seen := await self.see(), kind):
            assert seen is not None
        return seen


class Gallery:
    """A server for watchers, and its feeds."""

    def __init__(self, channel: grpc.aio.Channel, feeds: Feeds) -> None:
        self.channel = channel
        self.feeds = feeds

    def watch(self, match: str = "m1") -> Watcher:
        method = self.channel.unary_stream(
            "/damrak.v1.Watch/WatchMatch",
            request_serializer=watch_pb2.WatchMatchRequest.SerializeToString,
        )
        return Watcher(method(watch_pb2.WatchMatchRequest(match=match)))

    async def matches(self) -> Any:
        method = self.channel.unary_unary(
            "/damrak.v1.Watch/ListMatches",
            request_serializer=watch_pb2.ListMatchesRequest.SerializeToString,
            response_deserializer=watch_pb2.ListMatchesResponse.FromString,
        )
        return decode_matches(await method(watch_pb2.ListMatchesRequest()))


@asynccontextmanager
async def gallery(
    *feeds: Feed, retention_s: float = tables.PATIENCE, **limits: Any
) -> AsyncIterator[Gallery]:
    with tempfile.TemporaryDirectory() as folder:
        shown = Feeds(retention_s)
        for feed in feeds:
            shown.add(feed)
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((WatchService(shown, **limits).handlers(),))
        address = f"unix:{folder}/watch"
        server.add_insecure_port(address)
        await server.start()
        try:
            async with grpc.aio.insecure_channel(address, options=tables.OPTIONS) as channel:
                yield Gallery(channel, shown)
        finally:
            shown.close()
            await server.stop(None)


async def whole_match(room: tables.Hall, seats: int = 2) -> tables.Outcome:
    clients = [await room.sit(seat) for seat in range(seats)]
    await tables.everyone_plays(clients)
    return await room.outcome()


@pytest.mark.parametrize("seats", [2, 4])
def test_a_match_is_seen_from_the_beginning_to_the_end(seats: int) -> None:
    async def main() -> None:
        async with hall(seats) as room, gallery(room.table.feed) as shown:
            watcher = shown.watch()
            setting = await watcher.see()
            assert isinstance(setting, MatchSetting)
            assert setting.match.match == "m1"
            assert setting.match.seats == room.table.order.players
            assert setting.commitment == room.table.commitment
            outcome = await whole_match(room, seats)
            ending = await watcher.see_until(WatchEnding)
            assert ending.replay == outcome.replay_file
            assert ending.faults == (None,) * seats
            assert outcome.replay is not None
            assert watcher.events == [seen_by(event, -1) for event in outcome.replay.events]
            assert watcher.events[1:]

    run(main())


def test_nothing_hidden_is_shown_before_the_end() -> None:
    async def main() -> None:
        async with hall(3) as room, gallery(room.table.feed) as shown:
            watcher = shown.watch()
            outcome = await whole_match(room, 3)
            ending = await watcher.see_until(WatchEnding)
            for event in watcher.events:
                match event:
                    case Deal(hands=hands, contracts=contracts):
                        assert {None} == {item for row in (*hands, *contracts) for item in row}
                    case Blind(card=card):
                        assert card is None
                    case Keep(contracts=ids) | Offer(contracts=ids):
                        assert set(ids) == {None}
                assert getattr(event, "ms", None) is None
                assert getattr(event, "note", None) is None
            assert b'"seed"' in ending.replay
            assert outcome.replay is not None

    run(main())


def test_late_watcher_receives_the_history_and_the_clocks() -> None:
    async def main() -> None:
        async with hall(2) as room, gallery(room.table.feed) as shown:
            clients = [await room.sit(seat) for seat in range(2)]
            for client in clients:
                await client.answer(await client.expect(wire.Asked))
            asking = [asyncio.create_task(client.hear()) for client in clients]
            await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
            watcher = shown.watch()
            assert isinstance(await watcher.see(), MatchSetting)
            happened = await watcher.see()
            assert isinstance(happened, Happened)
            assert len(happened.events) == 3  # the deal and the contracts that both kept
            clocks = await watcher.see()
            assert isinstance(clocks, Clocks)
            assert len(clocks.running) == 1
            assert len(clocks.bank_ms) == 2
            actor = clocks.running[0]
            asked = await asking[actor]
            await clients[actor].answer(asked)
            assert isinstance(await watcher.see(), Happened)
            assert isinstance(await watcher.see(), Clocks)
            for task in asking:
                task.cancel()

    run(main())


def test_clocks_do_not_reveal_choices_in_the_set_up() -> None:
    async def main() -> None:
        async with hall(3) as room, gallery(room.table.feed) as shown:
            clients = [await room.sit(seat) for seat in range(3)]
            await clients[1].answer(await clients[1].expect(wire.Asked))
            await clients[1].say(wire.decided(99, 0))
            await clients[1].expect(wire.StaleAnswer)
            clocks = await shown.watch().see_until(Clocks)
            assert sorted(clocks.running) == [0, 1, 2]

    run(main())


def test_a_delay_applies_to_everything_including_the_end() -> None:
    async def main() -> None:
        async with hall(2, watch_delay_ms=60_000) as room, gallery(room.table.feed) as shown:
            watcher = shown.watch()
            setting = await watcher.see()
            assert setting.delay_ms == 60_000
            first = asyncio.create_task(watcher.see())
            outcome = await whole_match(room)
            assert not first.done()
            assert [m.over for m in await shown.matches()] == [False]
            latecomer = shown.watch()
            assert isinstance(await latecomer.see(), MatchSetting)
            leap(61)
            assert isinstance(await first, Happened)
            assert (await watcher.see_until(WatchEnding)).replay == outcome.replay_file
            assert (await latecomer.see_until(WatchEnding)).replay == outcome.replay_file
            assert latecomer.events == watcher.events

    run(main(), LeapingLoop)


def test_another_attempt_is_announced_to_watchers() -> None:
    async def main() -> None:
        async with (
            hall(2) as room,
            hall(2, attempt=2) as again,
            gallery(room.table.feed) as shown,
        ):
            watcher = shown.watch()
            clients = [await room.sit(seat) for seat in range(2)]
            await clients[0].expect(wire.Asked)
            await watcher.see_until(Happened)
            shown.feeds.add(again.table.feed)
            assert (await watcher.see_until(Voided)).owner == "host"
            setting = await watcher.see()
            assert isinstance(setting, MatchSetting)
            assert setting.match.attempt == 2
            outcome = await whole_match(again)
            assert (await watcher.see_until(WatchEnding)).replay == outcome.replay_file
            assert [m.attempt for m in await shown.matches()] == [2]

    run(main())


def test_a_void_match_is_seen_to_be_void_and_its_next_attempt_too() -> None:
    async def main() -> None:
        async with (
            hall(2) as room,
            hall(2, attempt=2) as again,
            gallery(room.table.feed) as shown,
        ):
            watcher = shown.watch()
            assert isinstance(await watcher.see(), MatchSetting)
            room.table.void("host", "the machine fell over")
            assert await watcher.see() == Voided("host", "the machine fell over")
            shown.feeds.add(again.table.feed)
            assert isinstance(await watcher.see(), MatchSetting)

    run(main())


def test_a_match_is_removed_some_time_after_its_end() -> None:
    async def main() -> None:
        async with hall(2) as room, gallery(room.table.feed, retention_s=60) as shown:
            watcher = shown.watch()
            outcome = await whole_match(room)
            assert [m.over for m in await shown.matches()] == [True]
            replay = (await watcher.see_until(WatchEnding)).replay
            assert replay == outcome.replay_file
            leap(61)
            assert await watcher.see() is None  # the stream ends when the match is removed
            assert await shown.matches() == ()
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await shown.watch().see()
            assert refused.value.code() is grpc.StatusCode.NOT_FOUND

    run(main(), LeapingLoop)


def test_the_running_matches_are_listed() -> None:
    async def main() -> None:
        async with (
            hall(2) as room,
            hall(3, match="m2") as other,
            gallery(room.table.feed, other.table.feed) as shown,
        ):
            listed = await shown.matches()
            assert [(m.match, m.block, m.over) for m in listed] == [
                ("m1", "b1", False),
                ("m2", "b1", False),
            ]

    run(main())


def test_an_event_is_encoded_once_for_all_watchers(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[object] = []
    encode = feed_module.event_bytes

    def counted(event: Any) -> bytes:
        encoded.append(event)
        return encode(event)

    monkeypatch.setattr(feed_module, "event_bytes", counted)

    async def main() -> None:
        async with hall(2) as room, gallery(room.table.feed) as shown:
            watchers = [shown.watch() for _ in range(200)]
            for watcher in watchers:
                assert isinstance(await watcher.see(), MatchSetting)
            seeing = [asyncio.create_task(w.see_until(WatchEnding)) for w in watchers]
            outcome = await whole_match(room)
            await asyncio.gather(*seeing)
            assert outcome.replay is not None
            assert len(encoded) == len(outcome.replay.events)
            assert all(w.events == watchers[0].events for w in watchers)
            assert parse_events(outcome) == len(watchers[0].events)

    run(main())


def parse_events(outcome: tables.Outcome) -> int:
    assert outcome.replay_file is not None
    unsigned = outcome.replay_file.replace(
        b'"signature":null', b'"signature":"' + b"0f" * 64 + b'"'
    )
    return len(parse_replay(unsigned).events)


def test_nothing_is_encoded_without_watchers(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(event: Any) -> bytes:
        raise AssertionError

    monkeypatch.setattr(feed_module, "event_bytes", never)

    async def main() -> None:
        async with hall(2) as room, gallery(room.table.feed):
            assert (await whole_match(room)).replay is not None

    run(main())


class EndlessFeed:
    """A feed with more data than any unread connection buffers."""

    def __init__(self) -> None:
        self.order = tables.order()
        self.on_over = None
        self.followed = self.following = self.given = 0

    async def follow(self) -> AsyncIterator[bytes]:
        self.followed += 1
        self.following += 1
        try:
            while True:
                self.given += 1
                yield bytes(100_000)
        finally:
            self.following -= 1

    def void(self, owner: str, detail: str) -> None: ...


def test_a_watcher_that_stops_reading_is_dropped() -> None:
    async def main() -> None:
        feed = EndlessFeed()
        async with gallery(feed, stall_s=60) as shown:  # type: ignore[arg-type]
            deaf = shown.watch()
            assert len(await deaf.call.read()) == 100_000
            assert feed.followed == 1
            while feed.following:
                given = feed.given
                await asyncio.sleep(0.05)
                if feed.given == given:  # it is waiting for the watcher to read
                    leap(61)

    run(main(), LeapingLoop)


def test_the_number_of_watchers_is_limited() -> None:
    async def main() -> None:
        async with hall(2) as room, gallery(room.table.feed, most=2) as shown:
            watchers = [shown.watch() for _ in range(2)]
            for watcher in watchers:
                await watcher.see()
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await shown.watch().see()
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED

    run(main())
