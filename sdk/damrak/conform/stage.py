"""The state shared by scenarios: the client, its problems, and time limits."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Final

import grpc

from damrak.conform.connection import Connection, Gone, start_server
from damrak.conform.game import Game, Table
from damrak.conform.lobby import Lobby, read_arrival
from damrak.conform.network import Line
from damrak.conform.program import Program
from damrak.conform.scenario import Absent, Failed
from damrak_proto.v1 import table_pb2
from damrak_wire.errors import WireError
from damrak_wire.fields import message
from damrak_wire.lobby import Registered
from damrak_wire.version import HIGHEST, LOWEST, heard

REFEREE: Final = "conform"
_BEARER: Final = "Bearer "


_LAST_WORDS_S: Final = 0.05


class _TimeIsUp(Exception):
    """A condition was not met in time."""


class Stage:
    """A scripted referee for one client, for the duration of a run.

    A problem that one scenario finds in the area of another is booked to that other one, so that a
    client with one bug fails only one scenario: see `book`.
    """

    def __init__(self, address: str, patience_s: float, *, one_seat: bool = False) -> None:
        self.patience_s = patience_s
        self.one_seat = one_seat  # no lobby and no tickets: the client is started for each match
        self.token = secrets.token_urlsafe(24)
        self.address = address
        self.client = ""  # the name of the client's software
        self.program: Program | None = None
        self.lobby: Lobby | None = None  # the client's current lobby stream, or its last one
        self.booked: dict[str, str] = {}
        self.speaks = (LOWEST, HIGHEST)
        self.refusals: list[float] = []  # times of refusals because of the client's version
        self.dead_tickets: list[str] = []  # tickets used by the client that belong to no game
        self.games: dict[str, Game] = {}
        self.line = Line(address, "")
        self._numbers = 0
        self._stirred = asyncio.Event()
        self._server: grpc.aio.Server | None = None
        self._further_lines: list[Line] = []

    # ---- opening and closing -------------------------------------------------------------------

    async def open(self, command: Sequence[str]) -> None:
        """Listen, and prepare to start the client if a command is given.

        Raises:
            OSError: the address cannot be used.
        """
        self._server, self._behind = await start_server(self._play, self._wait)
        self.line = Line(self.address, self._behind)
        await self.line.open()
        self.address = self.line.address
        if command:
            token = None if self.one_seat else self.token
            self.program = Program(command, self.address, token, self.stir)

    async def close(self) -> None:
        """Stop the client, and stop listening."""
        if self.program is not None:
            await self.program.stop()
        for line in (self.line, *self._further_lines):
            await line.close()
        if self._server is not None:
            await self._server.stop(None)

    async def further_line(self) -> Line:
        """Return another line to this server; possible only if the address is HOST:PORT."""
        line = Line(f"{self.address.rpartition(':')[0]}:0", self._behind)
        await line.open()
        self._further_lines.append(line)
        return line

    # ---- waiting -------------------------------------------------------------------------------

    def stir(self) -> None:
        """Wake up all waiting tasks after an event, so that they check their conditions."""
        self._stirred.set()

    async def until(
        self, holds: Callable[[], bool], problem: str, *, seconds: float | None = None
    ) -> None:
        """Wait until a condition holds, within the time limit for any step of the client.

        Raises:
            Failed: it does not hold in time.
            Absent: the client's program has ended.
        """
        patience = self.patience_s if seconds is None else min(seconds, self.patience_s)
        try:
            await self._wait_for(holds, patience)
        except _TimeIsUp:
            raise Failed(f"{problem} (waited {patience:g} s)") from None

    async def watch(self, seconds: float) -> None:
        """Give the client time to make a mistake.

        Raises:
            Absent: its program has ended.
        """
        with contextlib.suppress(_TimeIsUp):
            await self._wait_for(lambda: False, seconds)

    async def until_gone(self) -> None:
        """Wait until the client's lobby stream is lost, after its program was killed."""
        while self.lobby is not None and self.lobby.is_here:
            self._stirred.clear()
            await self._stirred.wait()

    async def _wait_for(self, holds: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            if self.program is not None and self.program.code is not None:
                await asyncio.sleep(_LAST_WORDS_S)  # for the last messages in transit
                if holds():
                    return
                raise Absent(self._obituary())
            self._stirred.clear()
            try:
                await asyncio.wait_for(self._stirred.wait(), max(deadline - time.monotonic(), 0))
            except TimeoutError:
                if not holds():
                    raise _TimeIsUp from None

    def _obituary(self) -> str:
        """Return how the client's program ended."""
        assert self.program is not None
        words = f": {self.program.last_words}" if self.program.last_words else ""
        return f"the client's program ended with code {self.program.code}{words}"

    def book(self, name: str, problem: str) -> None:
        """Record a problem for a scenario, unless it has one already."""
        self.booked.setdefault(name, problem)

    # ---- the client ----------------------------------------------------------------------------

    async def client_here(self) -> Lobby:
        """Return the lobby with the client in it, starting the client if necessary.

        Raises:
            Absent: it does not come.
        """
        if self.program is not None:
            await self.program.start()
        try:
            await self.until(
                lambda: self.lobby is not None and self.lobby.is_here,
                "the client does not wait in the lobby",
            )
        except Absent:
            raise
        except Failed as absence:
            raise Absent(str(absence)) from None
        assert self.lobby is not None
        return self.lobby

    async def program_ended(self) -> None:
        """Wait until the client's program has ended.

        Raises:
            Failed: it does not end.
        """
        assert self.program is not None
        with contextlib.suppress(Absent):
            await self.until(lambda: False, "its program did not end when its match was over")

    def game(self, table: Table | None = None) -> Game:
        """Return a new game, to be used as a context manager."""
        self._numbers += 1
        name = f"match-{self._numbers}"
        return Game(self, name, table or Table())

    async def tidy(self) -> None:
        """Clean up after a scenario."""
        for game in list(self.games.values()):
            await game.close()
        if self.lobby is not None and self.lobby.problem:
            self.book("arrival", f"in the lobby it said what makes no sense: {self.lobby.problem}")
        self.line.slowness = None
        self.speaks = (LOWEST, HIGHEST)

    # ---- streams of the client -----------------------------------------------------------------

    def _refuse_version(self, connection: Connection, lowest: int, highest: int) -> bool:
        if lowest <= self.speaks[1] and highest >= self.speaks[0]:
            return False
        self.refusals.append(time.monotonic())
        spoken = " to ".join(str(number) for number in self.speaks)
        detail = f"versions {lowest} to {highest} are not spoken here, but {spoken} are"
        connection.end(grpc.StatusCode.FAILED_PRECONDITION, detail)
        self.stir()
        return True

    async def _wait(self, connection: Connection) -> None:
        """Serve a stream of the lobby."""
        if self.one_seat:
            connection.end(grpc.StatusCode.UNIMPLEMENTED, "there is no lobby here")
            return
        token = str(connection.metadata.get("authorization", ""))
        if token != _BEARER + self.token:
            problem = "another token than the one it was given" if token else "no token"
            self.book("arrival", f"it came to the lobby with {problem} as `authorization`")
            detail = "this token is not known here"
            connection.end(grpc.StatusCode.UNAUTHENTICATED, detail)
            return
        try:
            arrived, problem = read_arrival(await connection.read())
        except Gone:
            connection.end()
            return
        if problem:
            self.book("arrival", problem)
        self.client = arrived.software or self.client
        if self._refuse_version(connection, arrived.lowest, arrived.highest):
            return
        if self.lobby is not None and self.lobby.is_here:
            self.lobby.close(grpc.StatusCode.ABORTED, "the bot waits on a newer connection")
        lobby = Lobby(connection, arrived, self.stir)
        await lobby.send(Registered(HIGHEST, "client", REFEREE))
        self.lobby = lobby
        self.stir()
        await lobby.listen()

    async def _play(self, connection: Connection) -> None:
        """Serve a stream of a table."""
        try:
            said = message(table_pb2.PlayRequest, await connection.read(), "request")
        except Gone:
            connection.end()
            return
        except WireError as problem:
            self.book("arrival", f"its first message on Play is not right: {problem}")
            connection.end(grpc.StatusCode.INVALID_ARGUMENT, str(problem))
            return
        if said.WhichOneof("message") != "join":
            self.book("arrival", "the first message on Play was not Join")
            connection.end(grpc.StatusCode.INVALID_ARGUMENT, "the first message must be Join")
            return
        try:
            lowest, highest, _ = heard(said.join.hello, "hello")
        except WireError as problem:
            self.book("arrival", f"its Join is not right: {problem}")
            lowest, highest = LOWEST, HIGHEST
        if self._refuse_version(connection, lowest, highest):
            return
        self.client = self.client or said.join.hello.software
        for game in self.games.values():
            if game.chair.takes(said.join.ticket):
                await game.chair.sit_down(connection, said.join)
                return
        self.dead_tickets.append(said.join.ticket)
        connection.end(grpc.StatusCode.UNAUTHENTICATED, "this ticket is no good, or no longer")
        self.stir()
