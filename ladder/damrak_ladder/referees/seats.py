"""Seats of people at a referee, held through its address for control.

async with seating_of(address) as referee:
    line = referee.sit_down(ticket)
    async for message in line.messages():
        await line.say(...)
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Final, Self

import grpc
import grpc.aio

from damrak_ladder.referees.addresses import Address
from damrak_ladder.referees.errors import RefereeTrouble
from damrak_ladder.referees.refusals import trouble_of
from damrak_ladder.referees.security import OPTIONS, Security
from damrak_wire.table import join

_PLAY: Final = "/damrak.v1.Table/Play"
SOFTWARE: Final = "damrak-relay"


class Line:
    """One connection of a seat, which begins with the ticket."""

    def __init__(self, call: Any, address: Address, ticket: str) -> None:
        self._call = call
        self._address = address
        self._ticket = ticket

    async def messages(self) -> AsyncIterator[bytes]:
        """Yield the messages of the referee until it ends the stream.

        Raises:
            RefereeTrouble: the connection was refused or lost.
        """
        try:
            await self._call.write(join(SOFTWARE, self._ticket, prompt_events=True))
            async for message in self._call:
                yield message
        except grpc.RpcError as problem:
            raise trouble_of(problem, self._address) from None
        finally:
            self._call.cancel()

    async def say(self, data: bytes) -> None:
        """Send a message.

        Raises:
            RefereeTrouble: the connection was lost.
        """
        try:
            await self._call.write(data)
        except grpc.RpcError as problem:
            raise trouble_of(problem, self._address) from None
        except grpc.aio.UsageError as problem:  # the call has ended
            raise RefereeTrouble(self._address.text, str(problem)) from None

    def break_off(self) -> None:
        """Close the connection at once."""
        self._call.cancel()


class Seating:
    """An async context manager with one channel, which carries the lines of all seats."""

    def __init__(self, address: Address, security: Security) -> None:
        self.address = address
        credentials = security.credentials_for(address)
        if credentials is None:
            self._channel = grpc.aio.insecure_channel(address.text, OPTIONS)
        else:
            self._channel = grpc.aio.secure_channel(address.text, credentials, OPTIONS)
        self._metadata = security.metadata

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._channel.close()

    def sit_down(self, ticket: str) -> Line:
        """Return a new line for the seat of this ticket."""
        play: Any = self._channel.stream_stream(_PLAY)
        return Line(play(metadata=self._metadata), self.address, ticket)
