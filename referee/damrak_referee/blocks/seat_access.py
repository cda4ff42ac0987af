"""Ways for a bot to get to its seat: as a local process, by a call, or with an open ticket.

`close` releases everything that a place has opened, even if opening it was interrupted.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import grpc.aio

from damrak_referee.lobby.lobby import Call, Lobby
from damrak_referee.runner.client import (
    Exit,
    HouseBot,
    Runner,
    SeatHandle,
    SeatProcess,
    Uploaded,
)
from damrak_referee.server.seat_service import seat_server
from damrak_referee.table.chair import Chair
from damrak_referee.table.tickets import Tickets

FAREWELL: Final = 1.0  # seconds that a program has to exit after a match that went well


class SeatPlace(Protocol):
    """A seat's way to a bot."""

    async def open(self) -> None:
        """Start or call the bot.

        Raises:
            RunnerError: it cannot be started, and this machine is at fault.
            OSError: likewise.
        """

    async def close(self, farewell: float) -> Exit | None:
        """Release everything; programs have `farewell` seconds to exit by themselves."""


class LocalPlace:
    """A local process, with a private socket that no other process can reach."""

    def __init__(
        self,
        chair: Chair,
        runner: Runner,
        bot: HouseBot | Uploaded,
        socket: Path,
        on_exit: Callable[[Exit], None],
        low_priority: bool,
    ) -> None:
        self._chair = chair
        self._runner = runner
        self._bot = bot
        self._socket = socket
        self._on_exit = on_exit
        self._low_priority = low_priority
        self._server: grpc.aio.Server | None = None
        self._starting: asyncio.Task[SeatHandle] | None = None
        self._leaving: asyncio.Task[Exit | None] | None = None
        chair.on_fault = self._leave

    async def open(self) -> None:
        """Open the socket, then start the process; return once it was started."""
        self._server = seat_server(self._chair, self._socket)
        await self._server.start()
        process = SeatProcess(secrets.token_hex(8), self._bot, self._socket, self._low_priority)
        self._starting = asyncio.ensure_future(self._runner.seat(process))
        handle = await asyncio.shield(self._starting)
        handle.exited.add_done_callback(self._exited)

    def _exited(self, exited: asyncio.Future[Exit]) -> None:
        if not exited.cancelled():
            self._on_exit(exited.result())

    def _leave(self) -> None:
        """Stop a bot that is out of the game, so that it takes no resources from the others."""
        if self._starting is None:
            return
        fault = self._chair.fault
        if fault is not None and fault.reason == "timeout" and _is_started(self._starting):
            self._starting.result().locate()
        self._leaving = asyncio.ensure_future(self.close(FAREWELL))

    async def close(self, farewell: float) -> Exit | None:
        """Let the process exit or kill it, then remove the socket."""
        found = None
        if self._starting is not None:
            # Not cancelled half-way, which would leave a process that is not tracked.
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
    """A remote bot, called from the lobby."""

    def __init__(self, lobby: Lobby, tickets: Tickets, chair: Chair, call: Call) -> None:
        self._lobby = lobby
        self._tickets = tickets
        self._chair = chair
        self._call = call

    async def open(self) -> None:
        """Open the call."""
        self._lobby.call(self._call)

    async def close(self, farewell: float) -> None:
        """End the call and revoke the seat's tickets."""
        self._lobby.end(self._call, "the match is over")
        self._tickets.revoke(self._chair)


class OpenPlace:
    """A seat for the holder of an open ticket."""

    def __init__(self, tickets: Tickets, chair: Chair) -> None:
        self._tickets = tickets
        self._chair = chair

    async def open(self) -> None:
        """Do nothing: the holder of the ticket connects unprompted."""

    async def close(self, farewell: float) -> None:
        """Revoke the ticket."""
        self._tickets.revoke(self._chair)
