"""Streams of the client, and the server that accepts them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import grpc
import grpc.aio

LARGEST_MESSAGE: Final = 1 << 16  # of a client, as for a referee

OPTIONS: Final = (
    ("grpc.max_receive_message_length", LARGEST_MESSAGE),
    # Clients may ping often to detect a dead connection; by default gRPC would close it.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
)


class Gone(Exception):
    """The client has closed its side of the stream, or the stream is lost."""


class Connection:
    """A stream from the side of the scripted referee: reading, writing and ending."""

    def __init__(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        metadata = context.invocation_metadata() or ()
        self.metadata: Mapping[str, Any] = dict(metadata)
        self.is_open = True  # on the client's side
        self._context = context
        self._writing = asyncio.Lock()  # gRPC requires one write at a time
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._ended: asyncio.Future[tuple[grpc.StatusCode, str]] = asyncio.Future()

    async def read(self) -> bytes:
        """Return the next message.

        Raises:
            Gone: there will be no more messages.
        """
        data = await self._inbox.get()
        if data is None:
            self._inbox.put_nowait(None)  # for later calls
            raise Gone
        return data

    async def send(self, data: bytes) -> None:
        """Send a message; does nothing if the client has gone."""
        if not self.is_open or self._ended.done():
            return
        try:
            async with self._writing:
                await self._context.write(data)
        except (grpc.aio.UsageError, grpc.aio.InternalError, asyncio.InvalidStateError):
            self.is_open = False

    def end(self, code: grpc.StatusCode = grpc.StatusCode.OK, detail: str = "") -> None:
        """End the stream from this side; idempotent."""
        if not self._ended.done():
            self._ended.set_result((code, detail))

    async def serve(self, use: Callable[[Connection], Awaitable[None]]) -> None:
        """Run `use` with this stream until either side ends it."""
        pumping, using = asyncio.create_task(self._pump()), asyncio.ensure_future(use(self))
        using.add_done_callback(self._check)
        try:
            code, detail = await self._ended
        finally:
            self.is_open = False
            self._inbox.put_nowait(None)
            pumping.cancel()
            using.cancel()
            await asyncio.gather(pumping, using, return_exceptions=True)
        if code is not grpc.StatusCode.OK:
            await self._context.abort(code, detail)

    def _check(self, using: asyncio.Future[None]) -> None:
        if not using.cancelled() and (mistake := using.exception()) is not None:
            self.end(grpc.StatusCode.INTERNAL, f"a mistake of ours: {mistake!r}")

    async def _pump(self) -> None:
        while isinstance(data := await self._context.read(), bytes):  # otherwise EOF
            self._inbox.put_nowait(data)
        self.is_open = False
        self._inbox.put_nowait(None)


Use = Callable[[Connection], Awaitable[None]]


async def start_server(play: Use, wait: Use) -> tuple[grpc.aio.Server, str]:
    """Start a server of Table.Play and Lobby.Wait on a local port; returns it and its address."""
    server = grpc.aio.server(options=OPTIONS)
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler("damrak.v1.Table", {"Play": _handler(play)}),
            grpc.method_handlers_generic_handler("damrak.v1.Lobby", {"Wait": _handler(wait)}),
        )
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    return server, f"127.0.0.1:{port}"


def _handler(use: Use) -> grpc.RpcMethodHandler[bytes, bytes]:
    async def serve(_: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        await Connection(context).serve(use)

    # Without serializers, messages are passed as bytes.
    return grpc.stream_stream_rpc_method_handler(serve)
