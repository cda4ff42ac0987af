"""The Watch service: the public view of matches, streamed to watchers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

import grpc

from damrak_proto.v1 import watch_pb2 as pb
from damrak_referee.table.feed import Feed
from damrak_wire.watch import encode_matches

SERVICE: Final = pb.DESCRIPTOR.services_by_name["Watch"].full_name
PLAYED_AGAIN: Final = "The match is played again."


@dataclass(slots=True)
class _Shown:
    """A match, its newest attempt, and when to forget it."""

    feed: Feed
    renewed: asyncio.Event  # set when there is a newer attempt, or when it is forgotten
    forget: asyncio.TimerHandle | None = None


class Feeds:
    """Registry of the matches that can be watched, each until some time after its end."""

    def __init__(self, retention_s: float = 60.0) -> None:
        self._retention_s = retention_s
        self._shown: dict[str, _Shown] = {}

    def add(self, feed: Feed) -> None:
        """Add an attempt at a match; watchers of an earlier one continue with this."""
        match = feed.order.match
        earlier = self._shown.get(match)
        if earlier is not None:
            if earlier.forget is not None:
                earlier.forget.cancel()
            earlier.feed.on_over = None
            earlier.feed.void("host", PLAYED_AGAIN)  # no effect if it is over
        self._shown[match] = _Shown(feed, asyncio.Event())
        feed.on_over = lambda: self._forget_later(match)
        if earlier is not None:
            earlier.renewed.set()

    def __contains__(self, match: str) -> bool:
        return match in self._shown

    def feeds(self) -> tuple[Feed, ...]:
        """Return the newest attempt at each match."""
        return tuple([shown.feed for shown in self._shown.values()])

    async def follow(self, match: str) -> AsyncGenerator[bytes, None]:
        """Yield all attempts from the newest on, until the match is forgotten."""
        while (shown := self._shown.get(match)) is not None:
            async with aclosing(shown.feed.follow()) as messages:
                async for message in messages:
                    yield message
            await shown.renewed.wait()

    def close(self) -> None:
        """End and forget all feeds."""
        for match in list(self._shown):
            self._shown[match].feed.void("host", "The referee stops.")
            self._forget(match)

    def _forget_later(self, match: str) -> None:
        shown = self._shown[match]
        loop = asyncio.get_running_loop()
        shown.forget = loop.call_later(self._retention_s, self._forget, match)

    def _forget(self, match: str) -> None:
        shown = self._shown.pop(match)
        if shown.forget is not None:
            shown.forget.cancel()
        shown.feed.on_over = None
        shown.renewed.set()


@dataclass(slots=True, eq=False)
class _Watcher:
    """A watcher, and since when it has not taken a message that was sent."""

    task: asyncio.Task[Any]
    since: float | None = None


class WatchService:
    """The service that streams matches to at most `most` watchers, without stalled ones."""

    def __init__(self, feeds: Feeds, stall_s: float = 30.0, most: int = 1000) -> None:
        self._feeds = feeds
        self._stall_s = stall_s
        self._most = most
        self._watchers: set[_Watcher] = set()
        self._sweep: asyncio.TimerHandle | None = None

    def handlers(self) -> grpc.GenericRpcHandler:
        """Return handlers for a server. Messages to watchers are already encoded."""
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "ListMatches": grpc.unary_unary_rpc_method_handler(
                    self._list_matches,
                    request_deserializer=pb.ListMatchesRequest.FromString,
                    response_serializer=pb.ListMatchesResponse.SerializeToString,
                ),
                "WatchMatch": grpc.unary_stream_rpc_method_handler(
                    self._watch_match, request_deserializer=pb.WatchMatchRequest.FromString
                ),
            },
        )

    async def _list_matches(self, request: object, context: object) -> pb.ListMatchesResponse:
        return encode_matches([feed.watched() for feed in self._feeds.feeds()])

    async def _watch_match(
        self,
        request: pb.WatchMatchRequest,
        context: grpc.aio.ServicerContext[pb.WatchMatchRequest, bytes],
    ) -> None:
        if request.match not in self._feeds:
            await context.abort(grpc.StatusCode.NOT_FOUND, "No such match can be watched here.")
        if len(self._watchers) >= self._most:
            detail = f"{self._most} watchers are as many as there may be."
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, detail)
        task = asyncio.current_task()
        assert task is not None
        watcher = _Watcher(task)
        self._watchers.add(watcher)
        self._sweep_later()
        loop = asyncio.get_running_loop()
        try:
            async with aclosing(self._feeds.follow(request.match)) as messages:
                async for message in messages:
                    watcher.since = loop.time()
                    await context.write(message)
                    watcher.since = None
        finally:
            self._watchers.discard(watcher)

    def _sweep_later(self) -> None:
        if self._sweep is None:
            loop = asyncio.get_running_loop()
            self._sweep = loop.call_later(self._stall_s / 2, self._drop_stalled)

    def _drop_stalled(self) -> None:
        """Disconnect watchers that have not taken a message for too long."""
        self._sweep = None
        now = asyncio.get_running_loop().time()
        for watcher in self._watchers:
            if watcher.since is not None and now - watcher.since > self._stall_s:
                watcher.task.cancel()
        if self._watchers:
            self._sweep_later()
