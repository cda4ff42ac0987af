"""The client's stay in the lobby, from its Arrival to the end of the stream."""

from __future__ import annotations

from collections.abc import Callable

import grpc

from damrak.conform.connection import Connection, Gone
from damrak_proto.v1 import lobby_pb2
from damrak_wire import lobby as wire
from damrak_wire.errors import WireError
from damrak_wire.fields import message
from damrak_wire.version import HIGHEST, LOWEST


def read_arrival(data: bytes) -> tuple[wire.Arrival, str]:
    """Return the first message and the problem with it; the client is admitted in any case."""
    said = lobby_pb2.WaitRequest()
    problem = ""
    try:
        said = message(lobby_pb2.WaitRequest, data, "request")
        arrived = wire.decode_request(said)
    except WireError as wrong:
        problem = f"its Arrival is not right: {wrong}"
    else:
        if isinstance(arrived, wire.Arrival):
            return arrived, "" if arrived.software else "its hello does not say what software it is"
        problem = "its first message on Wait was not Arrival"
    arrival = said.arrival
    software, playing = arrival.hello.software, tuple(arrival.playing)
    return wire.Arrival(LOWEST, HIGHEST, software, arrival.capacity, playing), problem


class Lobby:
    """One stream of Lobby.Wait."""

    def __init__(
        self, connection: Connection, arrived: wire.Arrival, stir: Callable[[], None]
    ) -> None:
        self.arrived = arrived
        self.capacity = arrived.capacity
        self.declined: dict[str, str] = {}
        self.problem = ""  # the error in the first malformed message
        self._connection = connection
        self._stir = stir

    @property
    def is_here(self) -> bool:
        """Whether the client still waits on this stream."""
        return self._connection.is_open

    async def send(self, said: wire.Response) -> None:
        """Send a message."""
        await self.send_raw(wire.encode_response(said).SerializeToString())

    async def send_raw(self, data: bytes) -> None:
        """Send arbitrary bytes."""
        await self._connection.send(data)

    def close(self, code: grpc.StatusCode, detail: str) -> None:
        """End the stream from this side."""
        self._connection.end(code, detail)
        self._connection.is_open = False

    async def listen(self) -> None:
        """Receive the client's messages until the end of the stream."""
        try:
            while True:
                self._hear(await self._connection.read())
                self._stir()
        except Gone:
            self._connection.end()
        finally:
            self._stir()

    def _hear(self, data: bytes) -> None:
        try:
            said = wire.decode_request(message(lobby_pb2.WaitRequest, data, "request"))
        except WireError as wrong:
            self.problem = self.problem or str(wrong)
            return
        match said:
            case wire.Capacity(games=games):
                self.capacity = games
            case wire.Decline(match=match, reason=reason):
                self.declined[match] = reason
            case wire.Arrival():
                self.problem = self.problem or "it sent Arrival twice on one connection"
