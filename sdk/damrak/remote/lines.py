"""The line of a seat to its referee.

A `Line` is one connection, and when that is lost the match is lost: so it is in a sandbox, where
nothing lies in between. The line that comes back is `kept.KeptLine`.
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
PARTING: Final = 2.0  # seconds for what was said last to arrive


class AnyLine(Protocol):
    """What a session needs of its line."""

    is_over: bool
    """Whether the referee has no use for answers any more."""

    def say(self, data: bytes) -> None:
        """Say something; what a lost connection swallows, the referee asks for again."""

    def hear(self) -> Response:
        """What the referee says next.

        Raises:
            RefereeError: it will say nothing any more.
        """

    def close(self) -> None:
        """Hang up, once all that was said has arrived."""


class Connection:
    """One stream to the table, from Join on."""

    def __init__(self, address: Address, security: Security, software: str, ticket: str) -> None:
        self._address, self._is_encrypted = address, security.is_encrypted
        self._words: SimpleQueue[bytes | None] = SimpleQueue()
        self._words.put(join(software, ticket))
        self._channel = open_channel(address, security)
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(PLAY)
        self._call = play(iter(self._words.get, None))

    def say(self, data: bytes) -> None:
        """Send this after all that was sent before."""
        self._words.put(data)

    def messages(self) -> Iterator[bytes]:
        """What comes, until the referee ends it.

        Raises:
            RefereeError: the connection was refused or lost.
        """
        try:
            yield from self._call
        except grpc.RpcError as problem:
            raise trouble_of(problem, self._address, is_encrypted=self._is_encrypted) from None

    def half_close(self) -> None:
        """Say that nothing follows."""
        self._words.put(None)

    def break_off(self) -> None:
        """End it now."""
        self._words.put(None)
        self._call.cancel()
        self._channel.close()


class Line:
    """A line that is gone for good once it is lost."""

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
        """What the referee says next."""
        for data in self._messages:
            response = parsed(data, self._rules, self._address)
            if isinstance(response, Welcomed):
                self._rules = response.rules
            if response is not None:
                return response
        raise RefereeError(f"{self._address.text}: the referee hung up", is_lasting=False)

    def close(self) -> None:
        """Hang up."""
        self._connection.half_close()
        impatience = Timer(PARTING, self._connection.break_off)
        impatience.start()
        with contextlib.suppress(RefereeError):
            for _ in self._messages:
                pass
        impatience.cancel()
        self._connection.break_off()


def parsed(data: bytes, rules: Rules | None, address: Address) -> Response | None:
    """A message of the referee; None if it is of a kind that we do not know."""
    try:
        return parse_response(data, rules)
    except WireError as problem:
        said = f"{address.text}: the referee said what is not of this protocol: {problem}"
        raise RefereeError(said, is_lasting=True) from None
