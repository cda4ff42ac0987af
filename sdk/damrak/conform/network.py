"""The network between client and scripted referee: a relay that can be slowed down and cut."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Slowness:
    """The speed of a slow line: bytes per piece, and the wait before each piece."""

    piece: int
    wait_s: float


class Line:
    """Listens for the client, and forwards everything to the referee behind it.

    The address is `HOST:PORT`, where port 0 selects a free one, or `unix:PATH`.
    """

    def __init__(self, address: str, behind: str) -> None:
        self.address = address
        self.slowness: Slowness | None = None
        self.accepted = 0  # number of connections so far
        self._behind = behind
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._pumps: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Listen; afterwards `address` is the one to connect to.

        Raises:
            OSError: the address cannot be used.
        """
        if self.address.startswith("unix:"):
            path = self.address.removeprefix("unix:")
            self._server = await asyncio.start_unix_server(self._accept, path)
            return
        host, _, port = self.address.rpartition(":")
        self._server = await asyncio.start_server(self._accept, host.strip("[]"), int(port))
        self.address = f"{host}:{self._server.sockets[0].getsockname()[1]}"

    @property
    def is_idle(self) -> bool:
        """Whether all connections are closed."""
        return not self._pumps

    def cut(self) -> None:
        """Abort every connection."""
        for writer in self._writers:
            writer.transport.abort()

    async def close(self) -> None:
        """Stop listening, and abort all connections."""
        if self._server is not None:
            self._server.close()
            if self.address.startswith("unix:"):
                Path(self.address.removeprefix("unix:")).unlink(missing_ok=True)
        self.cut()
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        host, _, port = self._behind.rpartition(":")
        try:
            beyond = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.transport.abort()
            return
        for source, sink in ((reader, beyond[1]), (beyond[0], writer)):
            self._writers.add(sink)
            pump = asyncio.create_task(self._pump(source, sink))
            self._pumps.add(pump)
            pump.add_done_callback(self._pumps.discard)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError):
                while data := await source.read(CHUNK):
                    await self._pass_on(data, sink)
        finally:
            self._writers.discard(sink)
            sink.close()

    async def _pass_on(self, data: bytes, sink: asyncio.StreamWriter) -> None:
        while data:
            slowness = self.slowness
            piece = len(data) if slowness is None else slowness.piece
            if slowness is not None:
                await asyncio.sleep(slowness.wait_s)
            sink.write(data[:piece])
            await sink.drain()
            data = data[piece:]
