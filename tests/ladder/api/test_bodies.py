"""Request bodies that are too long or too slow, in ASGI messages and at a real server."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIHandler
from django.test import override_settings

from damrak_ladder.api.bodies import BoundedBodies
from ladder.calls import MEMORY

Message = dict[str, Any]
KIB = 1 << 10


class Wire:
    """The request of a client in pieces, and the response."""

    def __init__(
        self, pieces: list[bytes], *, is_whole: bool = True, pause: float = 0.0, **headers: str
    ) -> None:
        self.heard: list[Message] = []
        self.taken = 0
        self._pieces = pieces
        self._is_whole = is_whole
        self._pause = pause
        self.scope: Message = {
            "type": "http",
            "method": "POST",
            "path": "/api/v1/bots",
            "query_string": b"",
            "headers": [
                (name.replace("_", "-").encode(), v.encode()) for name, v in headers.items()
            ]
            + [(b"host", b"127.0.0.1")],
        }

    async def receive(self) -> Message:
        if self.taken < len(self._pieces):
            self.taken += 1
            await asyncio.sleep(self._pause)
            more = self.taken < len(self._pieces) or not self._is_whole
            return {"type": "http.request", "body": self._pieces[self.taken - 1], "more_body": more}
        await asyncio.Event().wait()
        raise AssertionError

    async def send(self, message: Message) -> None:
        self.heard.append(message)

    @property
    def status(self) -> int:
        return int(self.heard[0]["status"])

    @property
    def problem(self) -> Any:
        return json.loads(self.heard[1]["body"])


async def echo(
    scope: Message,
    receive: Callable[[], Awaitable[Message]],
    send: Callable[[Message], Awaitable[None]],
) -> None:
    """Respond with the size of the body; like Django, ignore clients that have disconnected."""
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message["body"])
        if not message["more_body"]:
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def serve(wire: Wire, application: Any = echo, seconds: float = 30.0) -> Wire:
    bounded = BoundedBodies(application, largest=64 * KIB, seconds=seconds, uploads=128 * KIB)
    asyncio.run(bounded(wire.scope, wire.receive, wire.send))
    return wire


def test_body_within_the_limit_is_streamed() -> None:
    wire = serve(Wire([b"x" * KIB] * 64))
    assert wire.status == 200
    assert wire.heard[1]["body"] == b"65536"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/bots/stan/versions", 200),
        ("/en/desk/submit/", 200),
        ("/api/v1/bots", 413),
        ("/versions/", 413),
    ],
)
def test_only_uploads_have_the_limit_of_uploads(path: str, status: int) -> None:
    wire = Wire([b"x" * KIB] * 100)
    wire.scope["path"] = path
    assert serve(wire).status == status


def test_body_announced_as_too_long_is_not_read() -> None:
    wire = serve(Wire([b"x"], content_length=str(64 * KIB + 1)))
    assert (wire.status, wire.problem["code"], wire.taken) == (413, "too-large", 0)


def test_reading_stops_when_a_body_becomes_too_long() -> None:
    wire = serve(Wire([b"x" * KIB] * 1000))
    assert (wire.status, wire.taken) == (413, 65)
    assert dict(wire.heard[0]["headers"])[b"connection"] == b"close"


@pytest.mark.parametrize("length", ["-1", "1e9", "\u0661", "9" * 30])
def test_lengths_that_are_not_numbers(length: str) -> None:
    wire = Wire([b"x"])
    wire.scope["headers"].append((b"content-length", length.encode()))
    assert serve(wire).status == 400


def test_slow_bodies_are_not_waited_for() -> None:
    wire = serve(Wire([b"x"], is_whole=False), seconds=0.01)
    assert (wire.status, wire.problem["code"]) == (408, "too-slow")


def test_dripping_data_does_not_extend_the_deadline() -> None:
    wire = serve(Wire([b"x"] * 500, pause=0.01), seconds=0.5)
    assert (wire.status, wire.problem["code"]) == (408, "too-slow")


@pytest.fixture
def _in_memory() -> Iterator[None]:
    with override_settings(CACHES=MEMORY):
        yield


@pytest.mark.usefixtures("_in_memory", "committed")
def test_django_leaves_the_answer_to_us(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[io.IOBase] = []
    read = ASGIHandler.read_body

    async def watched(self: Any, receive: Any) -> Any:
        kept.append(file := await read(self, receive))
        return file

    monkeypatch.setattr(ASGIHandler, "read_body", watched)
    wire = serve(Wire([b"x" * KIB] * 1000), ASGIHandler())
    assert wire.status == 413
    assert not kept
