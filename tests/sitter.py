"""A client of the Table and Lobby services that takes the first legal action, without the SDK."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from typing import Any

import grpc

from damrak_proto.v1 import lobby_pb2_grpc
from damrak_wire.lobby import Arrival, Request, decode_response, encode_request
from damrak_wire.table import Asked, Ended, Welcomed, decided, join, parse_response, ready

PLAY = "/damrak.v1.Table/Play"
PATIENCE = 600.0


class Sitter:
    """A connection of a seat."""

    def __init__(self, channel: grpc.Channel, ticket: str) -> None:
        self._unsaid: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unsaid.put(join("test/1", ticket))
        method = channel.stream_stream(PLAY)
        self.call = method(iter(self._unsaid.get, None), timeout=PATIENCE)
        self._rules: Any = None
        self.welcome: Welcomed | None = None

    def hear(self) -> Iterator[object]:
        """Yield the parsed messages of the referee."""
        for data in self.call:
            said = parse_response(data, self._rules)
            if isinstance(said, Welcomed):
                self.welcome = said
                self._rules = said.rules
            yield said

    def say(self, data: bytes) -> None:
        """Send a message."""
        self._unsaid.put(data)

    def play(self, most: int = 10_000) -> Ended | None:
        """Play; return the end, or None after `most` answers."""
        for said in self.hear():
            if isinstance(said, Welcomed):
                self.say(ready("sitter"))
            elif isinstance(said, Asked):
                if not most:
                    return None
                most -= 1
                self.say(decided(said.decision, said.legal[0], None, 1))
            elif isinstance(said, Ended):
                self._unsaid.put(None)
                return said
        raise AssertionError("the referee hung up")

    def hang_up(self) -> None:
        """Close the connection."""
        self.call.cancel()


class Waiter:
    """A connection of a bot in the lobby."""

    def __init__(
        self,
        channel: grpc.Channel,
        token: str,
        capacity: int = 1,
        *playing: str,
        lowest: int = 1,
        highest: int = 1,
        is_silent: bool = False,
    ) -> None:
        self._unsaid: queue.SimpleQueue[Any] = queue.SimpleQueue()
        if not is_silent:
            self.say(Arrival(lowest, highest, "test/1", capacity, playing))
        stub = lobby_pb2_grpc.LobbyStub(channel)
        self.call = stub.Wait(
            iter(self._unsaid.get, None),
            metadata=[("authorization", f"Bearer {token}")],
            timeout=PATIENCE,
        )

    def say(self, said: Request) -> None:
        """Send a message."""
        self._unsaid.put(encode_request(said))

    def hear(self) -> object:
        """Return the next message of the referee."""
        return decode_response(next(self.call))

    def hang_up(self) -> None:
        """Close the connection."""
        self.call.cancel()
        self._unsaid.put(None)
