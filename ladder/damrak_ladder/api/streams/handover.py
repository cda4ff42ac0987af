"""The hand-over of connections from views to the hub.

    application = Streams(BoundedBodies(get_asgi_application()))

Django keeps a thread for each request until its answer is complete. So a view only checks the
request and names the stream; Django finishes the request with an empty answer, and the stream is
sent instead of its body.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import aclosing
from typing import Any, Final

from django.http import HttpRequest

from damrak_ladder.api.streams.hub import HUB
from damrak_ladder.api.streams.subscription import Request, Subscription

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]

_KEY: Final = "damrak.stream"
_PREFIX: Final = "/api/v1/"


class _Place:
    """Where a view leaves the stream that it wants to be sent."""

    __slots__ = ("request",)

    def __init__(self) -> None:
        self.request: Request | None = None


class Streams:
    """An ASGI application that wraps another, and sends the streams that its views name."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or not scope["path"].startswith(_PREFIX):
            await self._application(scope, receive, send)
            return
        place = scope[_KEY] = _Place()
        start: Scope = {}

        async def pass_on(message: Scope) -> None:
            if place.request is None:
                await send(message)
            elif message["type"] == "http.response.start":
                start.update(message)

        await self._application(scope, receive, pass_on)
        if place.request is not None and start:
            await _send_stream(place.request, start, receive, send)


def hand_over(request: HttpRequest, stream: Request) -> bool:
    """Let this stream be sent instead of the answer; return False if the server cannot do so."""
    place = getattr(request, "scope", {}).get(_KEY)
    if place is None:
        return False
    place.request = stream
    return True


async def _send_stream(request: Request, start: Scope, receive: Receive, send: Send) -> None:
    subscription = Subscription(HUB, request)

    async def await_end() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        subscription.close()

    await send(start)
    leaving = asyncio.create_task(await_end())
    try:
        async with aclosing(subscription.frames()) as frames:
            async for frame in frames:
                await send({"type": "http.response.body", "body": frame, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        leaving.cancel()
