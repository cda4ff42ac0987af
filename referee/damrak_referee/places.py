"""How a bot gets to its seat: as a process of ours, by a call, or by a ticket that somebody holds.

Whatever a place has opened, `close` takes away again, also when opening it was interrupted.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import grpc.aio

from damrak_referee.chair import Chair
from damrak_referee.lobby import Call, Lobby
from damrak_referee.runner.client import (
    Exit,
    HouseBot,
    Runner,
    SeatHandle,
    SeatProcess,
    Uploaded,
)
from damrak_referee.seat import seat_server
from damrak_referee.tickets import Tickets

FAREWELL: Final = 1.0  # seconds that a program has to end after a match that went well


class SeatPlace(Protocol):
    """One seat's way to a bot."""

    async def open(self) -> None:
        """Have the bot come.

        Raises:
            RunnerError: it cannot, and that is this machine's fault.
            OSError: likewise.
        """

    async def close(self, farewell: float) -> Exit | None:
        """Take everything away; programs have `farewell` seconds to end by themselves."""


class LocalPlace:
    """A process of ours, with a socket of its own that nobody else can reach."""

    def __init__(
        self,
        chair: Chair,
        runner: Runner,
        bot: HouseBot | Uploaded,
        socket: Path,
        on_exit: Callable[[Exit], None],
    ) -> None:
        self._chair = chair
        self._runner = runner
        self._bot = bot
        self._socket = socket
        self._on_exit = on_exit
        self._server: grpc.aio.Server | None = None
        self._starting: asyncio.Task[SeatHandle] | None = None
        self._leaving: asyncio.Task[Exit | None] | None = None
        chair.on_fault = self._leave

    async def open(self) -> None:
        """Open the socket, then start the process; returns once it was started."""
        self._server = seat_server(self._chair, self._socket)
        await self._server.start()
        process = SeatProcess(secrets.token_hex(8), self._bot, self._socket)
        self._starting = asyncio.ensure_future(self._runner.seat(process))
        handle = await asyncio.shield(self._starting)
        handle.exited.add_done_callback(self._exited)

    def _exited(self, exited: asyncio.Future[Exit]) -> None:
        if not exited.cancelled():
            self._on_exit(exited.result())

    def _leave(self) -> None:
        """The bot is out of the game: it must not go on at the expense of those who play."""
        if self._starting is None:
            return
        fault = self._chair.fault
        if fault is not None and fault.reason == "timeout" and _is_started(self._starting):
            self._starting.result().locate()
        self._leaving = asyncio.ensure_future(self.close(FAREWELL))

    async def close(self, farewell: float) -> Exit | None:
        """Let the process end, or end it; then take the socket away."""
        found = None
        if self._starting is not None:
            # Whoever stops waiting half-way would leave a process that nobody knows.
            await asyncio.wait([self._starting])
            if self._starting.exception() is None:
                handle = self._starting.result()
                if farewell > 0:
                    await asyncio.wait([handle.exited], timeout=farewell)
                found = await handle.stop()
        if self._server is not None:
            await self._server.stop(None)
        with contextlib.suppress(OSError):
            self._socket.unlink()
        return found


def _is_started(starting: asyncio.Task[SeatHandle]) -> bool:
    return starting.done() and not starting.cancelled() and starting.exception() is None


class CalledPlace:
    """A remote bot, which is called from the lobby."""

    def __init__(self, lobby: Lobby, tickets: Tickets, chair: Chair, call: Call) -> None:
        self._lobby = lobby
        self._tickets = tickets
        self._chair = chair
        self._call = call

    async def open(self) -> None:
        """Let the call stand."""
        self._lobby.call(self._call)

    async def close(self, farewell: float) -> None:
        """End it; no ticket is good any more."""
        self._lobby.end(self._call, "the match is over")
        self._tickets.revoke(self._chair)


class OpenPlace:
    """Somebody has a ticket."""

    def __init__(self, tickets: Tickets, chair: Chair) -> None:
        self._tickets = tickets
        self._chair = chair

    async def open(self) -> None:
        """Nothing: whoever has the ticket comes by himself."""

    async def close(self, farewell: float) -> None:
        """The ticket is no good any more."""
        self._tickets.revoke(self._chair)
