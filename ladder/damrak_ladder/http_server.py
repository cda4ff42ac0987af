"""The HTTP server of the site: uvicorn, with a deadline for the head of each request."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS: Final = 8.0
"""The time limit from the connection, or the end of the last response, to the end of the
headers."""

_TIMEOUT: Final = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class DeadlineProtocol(H11Protocol):
    """An HTTP protocol that closes connections whose headers do not arrive in time.

    Uvicorn only has a limit for connections that are idle between requests. Bytes that arrive
    slowly do not extend the deadline.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadline of the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Process received data."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Start the deadline of the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:  # the headers are complete
            self._stop()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(HEAD_SECONDS, self._close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.write(_TIMEOUT)
            self.transport.close()


class SiteServer(uvicorn.Server):
    """A server that announces its shutdown, so that endless answers can end in order."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Announce the shutdown, and wait for answers that are under way."""
        self._announce()
        await super().shutdown(sockets)
