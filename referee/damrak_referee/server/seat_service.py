"""The Table service: seats by ticket on the public server, and private servers of one seat."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import grpc

from damrak_proto.v1 import table_pb2 as pb
from damrak_referee.table.chair import CONNECTIONS as CALLS, Chair
from damrak_referee.table.link import Context, Link, SeatLimits

SERVICE: Final = pb.DESCRIPTOR.services_by_name["Table"].full_name
STANDARD_LIMITS: Final = SeatLimits()
STREAMS: Final = 4  # at once to the server of one seat, which accepts only one of them
RECEIVED_BYTES: Final = 4 * 1024 * 1024
CONNECTIONS: Final = 16  # at once to it; more are closed, so that they use no descriptors
PING_MS: Final = 5000  # the minimum interval of keepalive pings from clients


class SeatService:
    """The service that seats clients; `find` returns the chair that a ticket is valid for."""

    def __init__(
        self,
        find: Callable[[str], Chair | None],
        limits: SeatLimits = STANDARD_LIMITS,
        admitted: Callable[[str], None] | None = None,
    ) -> None:
        """Call `admitted` with the peer of each connection whose ticket is valid."""
        self._find = find
        self._limits = limits
        self._admitted = admitted

    def handlers(self) -> grpc.GenericRpcHandler:
        """Return handlers for a server. They take bytes, which are parsed where they are used."""
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
    """Handler wrapper that fails the seat when its client has made too many calls of any kind."""

    def __init__(self, chair: Chair, handlers: grpc.GenericRpcHandler) -> None:
        self._chair = chair
        self._handlers = handlers
        self._calls = 0

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        """Return the handler of a call."""
        self._calls += 1
        if self._calls == CALLS + 1:
            self._chair.misbehaved(f"called more than {CALLS} times")
        return self._handlers.service(details)


def seat_server(
    chair: Chair, socket: Path, limits: SeatLimits = STANDARD_LIMITS
) -> grpc.aio.Server:
    """Return a server for this one seat on its own socket, ready to be started.

    Any process that can open the socket may take the seat, one at a time.
    """
    server = grpc.aio.server(
        options=[
            # A message above the seat's limit fails the seat, with a reason for its owner. One
            # above this limit is not even received, and closes the connection.
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
