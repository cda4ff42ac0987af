"""The service Table: seats by ticket for the public, and servers for one seat alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import grpc

from damrak_proto.v1 import table_pb2 as pb
from damrak_referee.chair import CONNECTIONS as CALLS, Chair
from damrak_referee.link import Context, Link, SeatLimits

SERVICE: Final = pb.DESCRIPTOR.services_by_name["Table"].full_name
STANDARD_LIMITS: Final = SeatLimits()
STREAMS: Final = 4  # at once to the server of one seat, which takes but one of them
RECEIVED_BYTES: Final = 4 * 1024 * 1024
CONNECTIONS: Final = 16  # at once to it; others are hung up on, so that they cost no descriptor
PING_MS: Final = 5000  # clients may ask whether we are there this often


class SeatService:
    """Lets clients sit down; `find` tells which chair a ticket is good for."""

    def __init__(
        self,
        find: Callable[[str], Chair | None],
        limits: SeatLimits = STANDARD_LIMITS,
        admitted: Callable[[str], None] | None = None,
    ) -> None:
        """`admitted` is called with the peer of each connection whose ticket is good."""
        self._find = find
        self._limits = limits
        self._admitted = admitted

    def handlers(self) -> grpc.GenericRpcHandler:
        """For a server. Messages are bytes: they are parsed where they are dealt with."""
        return grpc.method_handlers_generic_handler(
            SERVICE, {"Play": grpc.stream_stream_rpc_method_handler(self._play)}
        )

    async def _play(self, requests: AsyncIterator[bytes], context: Context) -> None:
        admitted = self._admitted
        if admitted is None:
            await Link(context, self._find, self._limits).run()
            return

        def find(ticket: str) -> Chair | None:
            chair = self._find(ticket)
            if chair is not None:
                admitted(context.peer())
            return chair

        await Link(context, find, self._limits).run()


class _Patience(grpc.GenericRpcHandler):
    """Passes calls on, and has none left for whoever calls again and again, whatever it is."""

    def __init__(self, chair: Chair, handlers: grpc.GenericRpcHandler) -> None:
        self._chair = chair
        self._handlers = handlers
        self._calls = 0

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        """The handler of a call."""
        self._calls += 1
        if self._calls == CALLS + 1:
            self._chair.misbehaved(f"called more than {CALLS} times")
        return self._handlers.service(details)


def seat_server(
    chair: Chair, socket: Path, limits: SeatLimits = STANDARD_LIMITS
) -> grpc.aio.Server:
    """A server for this one seat on a socket of its own, ready to be started.

    Whoever can open the socket may sit down, one at a time.
    """
    server = grpc.aio.server(
        options=[
            # A message that is too large costs the seat, and its owner is told why. One that is
            # larger than this is not even received, and costs the connection.
            ("grpc.max_receive_message_length", RECEIVED_BYTES),
            ("grpc.max_concurrent_streams", STREAMS),
            ("grpc.max_allowed_incoming_connections", CONNECTIONS),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", PING_MS),
            ("grpc.http2.max_ping_strikes", 0),
        ],
        maximum_concurrent_rpcs=STREAMS,
    )
    handlers = SeatService(lambda _: chair, limits).handlers()
    server.add_generic_rpc_handlers((_Patience(chair, handlers),))
    server.add_insecure_port(f"unix:{socket}")
    return server
