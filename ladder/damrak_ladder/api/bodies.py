"""Limits of the size and duration of request bodies, checked before Django stores them.

    application = BoundedBodies(get_asgi_application())

Django's own handler writes a body of any length to disk before a view is called.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]

LARGEST: Final = 17 * 1024 * 1024
"""The default maximum size in bytes: an archive of the default runtime, plus a form's overhead."""

UPLOADS: Final = ("/versions", "/desk/submit/")
"""The ends of the paths that take archives."""

SECONDS: Final = 120.0
"""The maximum duration of a whole body."""


class _Refused(Exception):
    def __init__(self, status: int, code: str, detail: str, cure: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.cure = cure


class BoundedBodies:
    """An ASGI application that wraps another, and refuses bodies that are too long or slow.

    `uploads` is the maximum size in bytes of an upload, `largest` that of all other bodies.
    """

    def __init__(
        self,
        application: Application,
        largest: int = LARGEST,
        seconds: float = SECONDS,
        uploads: int = LARGEST,
    ) -> None:
        self._application = application
        self._largest = largest
        self._uploads = uploads
        self._seconds = seconds

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        largest = self._uploads if scope["path"].endswith(UPLOADS) else self._largest
        body = _Body(receive, largest, self._seconds)
        answered = False

        async def say(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            _check_announced(scope, largest)
            await self._application(scope, body.receive, say)
        except _Refused as refusal:
            body.refusal = refusal
        if body.refusal is not None and not answered:
            await _answer(body.refusal, send)


class _Body:
    """The body of one request. When it exceeds a limit, the application receives a disconnect."""

    def __init__(self, receive: Receive, largest: int, seconds: float) -> None:
        self.refusal: _Refused | None = None
        self._receive = receive
        self._largest = largest
        self._left = largest
        self._seconds = seconds
        self._deadline: float | None = None
        self._is_whole = False

    async def receive(self) -> Message:
        """Return the next message."""
        if self._is_whole:
            return await self._receive()
        now = asyncio.get_running_loop().time()
        if self._deadline is None:
            self._deadline = now + self._seconds
        try:
            async with asyncio.timeout(self._deadline - now):
                message = await self._receive()
        except TimeoutError:
            return self._refuse(_too_slow(self._seconds))
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            return self._refuse(_too_large(self._largest))
        self._is_whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    def _refuse(self, refusal: _Refused) -> Message:
        self.refusal, self._is_whole = refusal, True
        return {"type": "http.disconnect"}


def _check_announced(scope: Message, largest: int) -> None:
    for name, value in scope["headers"]:
        if name.lower() == b"content-length":
            if not value.isdigit() or len(value) > 18:
                raise _Refused(400, "bad-length", "Content-Length is not a number", "omit it")
            if int(value) > largest:
                raise _too_large(largest)


def _too_large(largest: int) -> _Refused:
    most = f"{largest / (1 << 20):g} MiB"
    return _Refused(
        413, "too-large", f"the body is larger than {most}", "omit data that is not needed"
    )


def _too_slow(seconds: float) -> _Refused:
    return _Refused(408, "too-slow", f"the body took more than {seconds:g} s", "try again")


async def _answer(refusal: _Refused, send: Send) -> None:
    said = {
        "type": f"urn:damrak:problem:{refusal.code}",
        "status": refusal.status,
        "code": refusal.code,
        "detail": refusal.detail,
        "cure": refusal.cure,
    }
    body = json.dumps(said).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # unread bytes must not be taken for the next request
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
