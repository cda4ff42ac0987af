"""One stream: what its reader wants, and how far it has got."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass

from damrak_ladder.api.streams.frames import Encoding, Message, ending, heartbeat, opening
from damrak_ladder.api.streams.hub import Hub, Kept
from damrak_ladder.api.streams.viewers import Viewer, shown, user_of
from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.tokens import token_at
from damrak_ladder.events.gate import is_over
from damrak_ladder.events.queries import events_after
from damrak_ladder.events.values import Event, Filter

OVER = "tournament-over"
CAUGHT_UP = "caught-up"


@dataclass(frozen=True, slots=True)
class Request:
    """A checked request for a stream."""

    encoding: Encoding
    wanted: Filter
    after: int
    viewer: Viewer | None
    address: str
    feed: str = ""  # the tournament whose end is the end of the stream


class Subscription:
    """An open stream in the event loop."""

    __slots__ = ("_after", "_beat", "_gone", "_hub", "_request", "_waiter", "address")

    def __init__(self, hub: Hub, request: Request) -> None:
        self.address = request.address
        self._hub = hub
        self._request = request
        self._after = request.after
        self._beat = hub.beats
        self._gone = False
        self._waiter: asyncio.Future[None] | None = None

    def wake(self) -> None:
        """Let the stream look for something to send."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def close(self) -> None:
        """End the stream without a last message, because its client has gone."""
        self._gone = True
        self.wake()

    async def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield the encoded messages until the stream ends."""
        hub = self._hub
        hub.join(self)
        try:
            yield self._encoded(opening(token_at(self._after)))
            is_first = True
            while not self._gone:
                kept = await self._following()
                if data := b"".join(one.message.encoded(self._request.encoding) for one in kept):
                    yield data
                if (is_first or self._may_end(kept)) and await self._is_over():
                    yield self._encoded(ending(token_at(self._after), OVER))
                    return
                is_first = False
                if self._after < hub.reached:
                    continue
                if hub.ending:
                    yield self._encoded(ending(token_at(self._after), hub.ending))
                    return
                if self._beat != hub.beats:
                    self._beat = hub.beats
                    yield self._encoded(heartbeat(token_at(self._after)))
                elif not self._gone:
                    await self._wait()
        finally:
            hub.leave(self)

    def _encoded(self, message: Message) -> bytes:
        return message.encoded(self._request.encoding)

    async def _following(self) -> list[Kept]:
        """Advance, and return what the reader wants of the next events."""
        request, hub = self._request, self._hub
        if self._after < hub.base:
            events, reached = await hub.ask(events_after, self._after)
            self._after = reached if reached > self._after else hub.base
            kept = [Kept(event) for event in events if request.wanted.matches(event)]
        else:
            kept = [one for one in hub.since(self._after) if request.wanted.matches(one.event)]
            self._after = max(self._after, hub.reached)
        viewer = request.viewer
        if viewer is None or not any(_is_doubtful(viewer, one.event) for one in kept):
            return [one for one in kept if one.event.is_public]
        allowed = await hub.ask(shown, viewer, [one.event for one in kept])
        positions = {event.position for event in allowed}
        return [one for one in kept if one.event.position in positions]

    def _may_end(self, kept: list[Kept]) -> bool:
        return any(one.event.kind is ChangeKind.TOURNAMENT_CHANGED for one in kept)

    async def _is_over(self) -> bool:
        if not self._request.feed or self._after < self._hub.base:
            return False
        return await self._hub.ask(_is_over, self._request)

    async def _wait(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None


def past(request: Request) -> Iterator[bytes]:
    """Yield the messages of a stream that ends as soon as it has caught up."""
    after = request.after
    yield opening(token_at(after)).encoded(request.encoding)
    while True:
        events, reached = events_after(after)
        wanted = [event for event in events if request.wanted.matches(event)]
        kept = [Kept(event) for event in shown(request.viewer, wanted)]
        yield b"".join(one.message.encoded(request.encoding) for one in kept)
        if reached == after:
            break
        after = reached
    reason = OVER if request.feed and _is_over(request) else CAUGHT_UP
    yield ending(token_at(after), reason).encoded(request.encoding)


def _is_over(request: Request) -> bool:
    return is_over(user_of(request.viewer), request.feed)


def _is_doubtful(viewer: Viewer, event: Event) -> bool:
    return not event.is_public and viewer.may_be_permitted(event)
