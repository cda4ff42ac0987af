"""The client's chair at a table: its tickets, its connections, and its messages."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import grpc

from damrak.conform.connection import Connection, Gone
from damrak.conform.scenario import Failed
from damrak_proto.v1 import table_pb2
from damrak_wire import table as wire
from damrak_wire.errors import WireError

if TYPE_CHECKING:
    from damrak.conform.stage import Stage


_WORTH_KNOWING_S: Final = 0.3


class Chair:
    """One seat of one game; `welcome` creates the answer to Join from a rejoin ticket."""

    def __init__(self, stage: Stage, welcome: Callable[[str], bytes]) -> None:
        self.disguise: Callable[[bytes], bytes] = lambda data: data
        self.joins = 0
        self.readies = 0
        self.prompt_events = False
        self._stage = stage
        self._welcome = welcome
        self._connection: Connection | None = None
        self._lost: Connection | None = None  # a lost connection: ignore further messages
        self._issued: list[str] = []  # all tickets ever issued
        self._good: set[str] = set()  # tickets that are valid now
        self._inbox: deque[wire.Request] = deque()
        self._nonsense = ""  # the error in the first malformed message

    @property
    def is_taken(self) -> bool:
        """Whether the client is connected to the seat."""
        return self._connection is not None and self._connection.is_open

    # ---- tickets -------------------------------------------------------------------------------

    def new_ticket(self) -> str:
        """Return a ticket for the next connection, and invalidate earlier ones."""
        ticket = self._issue()
        self._good = {ticket}
        return ticket

    def takes(self, ticket: str) -> bool:
        """Return whether this ticket is valid now."""
        return ticket in self._good

    def clear(self) -> None:
        """Invalidate all tickets."""
        self._good = set()

    def _issue(self) -> str:
        ticket = "" if self._stage.one_seat else secrets.token_urlsafe(32)
        self._issued.append(ticket)
        return ticket

    # ---- the connection ------------------------------------------------------------------------

    async def sit_down(self, connection: Connection, join: table_pb2.Join) -> None:
        """Welcome the client, which has joined with a valid ticket, and receive its messages."""
        if self._connection is not None:
            self._connection.end(grpc.StatusCode.ABORTED, "the seat has a newer connection")
        rejoin = self._issue()
        self._good.add(rejoin)
        self.prompt_events = join.prompt_events
        self._connection = connection
        await self.send(self._welcome(rejoin))
        self.joins += 1
        self._stage.stir()
        try:
            while True:
                data = await connection.read()
                if self._lost is connection:
                    break
                self._hear(data)
                self._good = {rejoin}  # the client has received the Welcome
                self._stage.stir()
        except Gone:
            connection.end()
        finally:
            self._stage.stir()

    def _hear(self, data: bytes) -> None:
        try:
            said = wire.parse_request(data)
        except WireError as problem:
            self._nonsense = self._nonsense or str(problem)
            return
        if isinstance(said, wire.Ready):
            self.readies += 1
        else:
            self._inbox.append(said)

    async def send(self, data: bytes) -> None:
        """Send a message to the client, disguised if the scenario requires it."""
        assert self._connection is not None
        await self._connection.send(self.disguise(data))

    async def said(self, problem: str) -> wire.Request:
        """Return the client's next message other than Ready.

        Raises:
            Failed: no message comes, which is described by `problem`, or a malformed one.
        """
        await self._stage.until(
            lambda: bool(self._inbox or self._nonsense) or not self.is_taken, problem
        )
        if self._nonsense:
            raise Failed(f"it sent a message that cannot be understood: {self._nonsense}")
        if not self._inbox:
            await self._stage.watch(_WORTH_KNOWING_S)  # the client's program may have ended
            raise Failed("it closed the connection in the middle of a game")
        return self._inbox.popleft()

    # ---- losing and ending the connection ------------------------------------------------------

    def drop(self) -> None:
        """End the stream, like a referee that is overloaded."""
        assert self._connection is not None
        self._connection.end(grpc.StatusCode.UNAVAILABLE, "dropped to see what you do")
        self._connection.is_open = False
        self.forget()

    def forget(self) -> None:
        """Discard messages in transit, after the connection was lost."""
        self._lost = self._connection
        self._inbox.clear()
        self._good = {self._issued[-1]}

    async def taken_again(self, joins: int, *, any_ticket: bool = False) -> None:
        """Wait until the client has joined `joins` times.

        Raises:
            Failed: it does not return, or uses one of its older tickets when only the last is
                allowed.
        """
        used = set() if any_ticket else set(self._issued[:-1])
        await self._stage.until(
            lambda: self.joins >= joins or not used.isdisjoint(self._stage.dead_tickets),
            "its connection was lost, and it did not come back to the table",
        )
        if self.joins < joins:
            raise Failed("it came back with a ticket it had used, not with the rejoin ticket")

    async def leave(self, ending: bytes) -> None:
        """Send the ending, and wait for the client to close its side."""
        connection = self._connection
        assert connection is not None
        await self.send(ending)
        self.clear()
        try:
            if "leaving" not in self._stage.booked:  # wait for the time-out only once
                await self._stage.until(
                    lambda: not connection.is_open,
                    "it did not close its side of the stream after Ending",
                )
        except Failed as problem:
            self._stage.book("leaving", str(problem))
        connection.end()

    async def close(self, ending: bytes) -> None:
        """Send the ending if the client is still connected, and end the stream."""
        self.clear()
        if self._connection is not None and self.is_taken:
            await self.send(ending)
            self._connection.end(grpc.StatusCode.NOT_FOUND, "the scenario is over")
