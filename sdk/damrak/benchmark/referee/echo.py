"""An echo server with gRPC: `python -m damrak.benchmark.referee.echo SOCKET BYTES`.

It does the minimum work of a referee: read a message and write one, on a stream per client.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

import grpc

from damrak.benchmark.referee.loop import run

METHOD = "/damrak.benchmark.Echo/Exchange"


async def serve(socket: str, size: int) -> None:
    """Answer messages until the process is ended."""
    answer = bytes(size)

    async def exchange(
        requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]
    ) -> None:
        async for _ in requests:
            await context.write(answer)

    _, service, method = METHOD.split("/")
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(exchange)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {method: handler}),)
    )
    server.add_insecure_port(f"unix:{socket}")
    await server.start()
    await server.wait_for_termination()


async def take_turns(
    first: grpc.aio.Channel, second: grpc.aio.Channel, size: int, until: asyncio.Event
) -> int:
    """Exchange messages on two streams alternately until `until` is set; returns their number.

    This is the traffic of a match of two, whose seats take turns.
    """
    calls: list[grpc.aio.StreamStreamCall[bytes, bytes]] = [
        one.stream_stream(METHOD)() for one in (first, second)
    ]
    message = bytes(size)
    done = 0
    while not until.is_set():
        call = calls[done & 1]
        await call.write(message)
        await call.read()
        done += 1
    for call in calls:
        await call.done_writing()
    return done


if __name__ == "__main__":
    run(serve(sys.argv[1], int(sys.argv[2])))
