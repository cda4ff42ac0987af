"""One connection of a seat to its referee, without reconnection.

A `Line` is a single connection; if it is lost, so is the match. It is used in a sandbox, where the
connection is local. The line that reconnects is `kept.KeptLine`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Timer
from typing import Final, Protocol

import grpc

from damrak.errors import RefereeError
from damrak.remote.address import Address
from damrak.remote.channels import Security, open_channel
from damrak.remote.troubles import trouble_of
from damrak_engine.rules import Rules
from damrak_wire.errors import WireError
from damrak_wire.table import Response, Welcomed, join, parse_response

PLAY: Final = "/damrak.v1.Table/Play"
PARTING: Final = 2.0  # seconds for the last messages to arrive


class AnyLine(Protocol):
    """The interface of a line that a session needs."""

    is_over: bool
    """Whether the referee accepts no answers any more."""

    def say(self, data: bytes) -> None:
        """Send a message. If it is lost with the connection, the referee repeats its question."""

    def hear(self) -> Response:
        """Return the next message of the referee.

        Raises:
            RefereeError: there will be no more messages.
        """

    def close(self) -> None:
        """Close the line after all messages have arrived."""


class Connection:
    """One stream to the table, starting with Join."""

    def __init__(self, address: Address, security: Security, software: str, ticket: str) -> None:
        self._address, self._is_encrypted = address, security.is_encrypted
        self._words: SimpleQueue[bytes | None] = SimpleQueue()
        self._words.put(join(software, ticket))
        self._channel = open_channel(address, security)
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(PLAY)
        self._call = play(iter(self._words.get, None))

    def say(self, data: bytes) -> None:
        """Send a message after all earlier ones."""
        self._words.put(data)

    def messages(self) -> Iterator[bytes]:
        """Yield messages until the referee ends the stream.

        Raises:
            RefereeError: the connection was refused or lost.
        """
        try:
            yield from self._call
        except grpc.RpcError as problem:
            raise trouble_of(problem, self._address, is_encrypted=self._is_encrypted) from None

    def half_close(self) -> None:
        """Signal the end of our messages."""
        self._words.put(None)

    def break_off(self) -> None:
        """Close the connection immediately."""
        self._words.put(None)
        self._call.cancel()
        self._channel.close()


class Line:
    """A line that does not reconnect."""

    is_over = False

    def __init__(
        self, address: Address, security: Security, software: str, ticket: str = ""
    ) -> None:
        self._address = address
        self._connection = Connection(address, security, software, ticket)
        self._messages = self._connection.messages()
        self._rules: Rules | None = None
        self.say = self._connection.say

    def hear(self) -> Response:
        """Return the next message of the referee."""
        for data in self._messages:
            response = parsed(data, self._rules, self._address)
            if isinstance(response, Welcomed):
                self._rules = response.rules
            if response is not None:
                return response
        raise RefereeError(f"{self._address.text}: the referee hung up", is_lasting=False)

    def close(self) -> None:
        """Close the line."""
        self._connection.half_close()
        impatience = Timer(PARTING, self._connection.break_off)
        impatience.start()
        with contextlib.suppress(RefereeError):
            for _ in self._messages:
                pass
        impatience.cancel()
        self._connection.break_off()


def parsed(data: bytes, rules: Rules | None, address: Address) -> Response | None:
    """Return a parsed message of the referee, or None if its kind is unknown."""
    try:
        return parse_response(data, rules)
    except WireError as problem:
        said = f"{address.text}: the referee said what is not of this protocol: {problem}"
        raise RefereeError(said, is_lasting=True) from None
