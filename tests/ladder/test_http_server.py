"""Connections with unfinished request headers are closed; those being served are not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn

from damrak_ladder import http_server
from damrak_ladder.http_server import DeadlineProtocol

DEADLINE = 1.0
HEAD = b"GET / HTTP/1.1\r\nHost: example.org\r\n"


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/slow":
        await asyncio.sleep(3 * DEADLINE)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"well"})


def serve(visit: Callable[[int], Awaitable[None]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "HEAD_SECONDS", DEADLINE)

    async def run() -> None:
        server = uvicorn.Server(
            uvicorn.Config(
                application,
                host="127.0.0.1",
                port=0,
                http=DeadlineProtocol,
                lifespan="off",
                log_config=None,
            )
        )
        running = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            await visit(server.servers[0].sockets[0].getsockname()[1])
        finally:
            server.should_exit = True
            await running

    asyncio.run(run())


@pytest.mark.parametrize("sent", [b"", b"GET", HEAD, HEAD + b"X: " + b"x" * 1000])
def test_unfinished_headers_close_all_connections(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def visit(port: int) -> None:
        async def one() -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            said = await reader.read()
            writer.close()
            return said

        said = await asyncio.wait_for(asyncio.gather(*(one() for _ in range(200))), 60)
        assert all(answer.startswith(b"HTTP/1.1 408 ") for answer in said)

    serve(visit, monkeypatch)


def test_slow_bytes_do_not_extend_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    async def visit(port: int) -> None:
        for first in (b"", HEAD + b"\r\n"):  # also for the second request of a connection
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            if first:
                writer.write(first)
                assert b"well" in await reader.readuntil(b"well\r\n0\r\n\r\n")
            begun = time.monotonic()
            writer.write(HEAD)
            answer = asyncio.create_task(reader.read())
            while not answer.done():
                assert time.monotonic() - begun < 60
                writer.write(b"X: y\r\n")
                await asyncio.sleep(DEADLINE / 10)
            assert answer.result().startswith(b"HTTP/1.1 408 ")
            writer.close()

    serve(visit, monkeypatch)


def test_slow_answers_and_several_requests_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    async def visit(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for path in (b"/slow", b"/", b"/"):
            writer.write(b"GET " + path + b" HTTP/1.1\r\nHost: example.org\r\n\r\n")
            said = await asyncio.wait_for(reader.readuntil(b"0\r\n\r\n"), 60)
            assert said.startswith(b"HTTP/1.1 200 ")
            await asyncio.sleep(DEADLINE / 2)
        writer.close()

    serve(visit, monkeypatch)
