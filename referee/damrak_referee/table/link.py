"""A connection to a seat: reads and writes messages, enforces limits, and ends the call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import grpc
import structlog

from damrak_referee.table.chair import Chair
from damrak_referee.table.outbox import Outbox, departures
from damrak_wire.errors import WireError
from damrak_wire.table import Decided, Failed, Join, Nonsense, Ready, parse_request
from damrak_wire.version import agree

log = structlog.get_logger()

NS: Final = 1_000_000_000
Context: TypeAlias = grpc.aio.ServicerContext[bytes, bytes]


@dataclass(frozen=True, slots=True)
class SeatLimits:
    """Limits and timeouts of a client."""

    message_bytes: int = 64 * 1024
    messages_per_s: int = 200  # sustained, not counting answers to questions
    burst: int = 100  # messages at once
    outbox: int = 1024  # messages waiting to be sent
    join_s: float = 10.0  # seconds until its Join
    farewell_s: float = 5.0  # seconds to send the rest when a connection ends


class Link:
    """A connection from its first message to its end; `find` looks up a ticket's chair."""

    __slots__ = (
        "_allowance",
        "_chair",
        "_closing",
        "_context",
        "_find",
        "_handler",
        "_has_left",
        "_limits",
        "_outbox",
        "_refilled_ns",
        "_timer",
    )

    def __init__(
        self, context: Context, find: Callable[[str], Chair | None], limits: SeatLimits
    ) -> None:
        self._context = context
        self._find = find
        self._limits = limits
        self._chair: Chair | None = None
        self._outbox = Outbox(
            context.write, self._emptied, self._overflowed, limits.outbox, departures()
        )
        self._closing: tuple[str, str] | None = None  # code and detail, once it is closing
        self._has_left = False  # no more messages are read
        self._handler: asyncio.Task[object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._allowance = limits.burst
        self._refilled_ns = time.monotonic_ns()

    # ---- for the chair ------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether it can still be written to."""
        return self._closing is None and not self._has_left

    @property
    def asked_ns(self) -> int:
        """When the last question was sent."""
        return self._outbox.asked_ns

    def send(self, data: bytes) -> None:
        """Send the data after all data sent before."""
        if self._closing is None:
            self._outbox.put(data)

    def ask(self, data: bytes) -> None:
        """Send the data, which is a question; its answer does not count against the rate limit."""
        if self._closing is None:
            self._allowance += 1
            self._outbox.put_question(data)

    def finish(self) -> None:
        """Close the connection after sending everything, or after a timeout."""
        if self.is_open:
            self._closing = ("OK", "")
            self._set_timer(self._limits.farewell_s, self._interrupt)
            self._emptied()

    def close(self, code: str, detail: str) -> None:
        """Close the connection now."""
        if not self._has_left:
            self._closing = (code, detail)
            self._outbox.clear()
            self._interrupt()

    def _overflowed(self) -> None:
        self.close("UNAVAILABLE", "This client has not taken what was sent to it.")

    # ---- lifecycle ----------------------------------------------------------------------------

    async def run(self) -> None:
        """Handle the connection: read messages until it ends."""
        self._handler = asyncio.current_task()
        self._set_timer(self._limits.join_s, self._nobody_came)
        try:
            await self._read()
            self._stand_up()
            if len(self._outbox):
                self.finish()
                await asyncio.sleep(self._limits.farewell_s)  # interrupted once all is written
        except asyncio.CancelledError:
            if self._closing is None:  # the client has disconnected, or the server is stopping
                raise
        except grpc.aio.BaseError:  # the client has disconnected
            pass
        except Exception:
            log.exception("seat_connection_broke")
            self._closing = ("INTERNAL", "The referee could not deal with a message.")
        finally:
            self._has_left = True
            self._stand_up()
            if self._timer is not None:
                self._timer.cancel()
        code, detail = self._closing or ("OK", "")
        if code != "OK":
            await self._abort(code, detail)

    async def _abort(self, code: str, detail: str) -> None:
        try:
            async with asyncio.timeout(self._limits.farewell_s):
                await self._context.abort(grpc.StatusCode[code], detail)
        except grpc.aio.AbortError:
            raise
        except (TimeoutError, grpc.aio.BaseError):  # it does not read, or has disconnected
            pass

    async def _read(self) -> None:
        read: Callable[[], Awaitable[object]] = self._context.read  # bytes, or an end marker
        while isinstance(data := await read(), bytes):
            if self._closing is None:
                self._hear(data, time.monotonic_ns())

    def _emptied(self) -> None:
        if self._closing is not None and not len(self._outbox):
            self._interrupt()

    def _interrupt(self) -> None:
        """Cancel the handler, which waits for a message."""
        if self._handler is not None and not self._has_left:
            self._handler.cancel()

    def _stand_up(self) -> None:
        chair, self._chair = self._chair, None
        if chair is not None:
            chair.lost(self)

    def _set_timer(self, seconds: float, act: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, act)

    def _nobody_came(self) -> None:
        if self._chair is None:
            self.close("DEADLINE_EXCEEDED", "Say Join first: nothing was heard in time.")

    # ---- messages from the client -------------------------------------------------------------

    def _hear(self, data: bytes, received_ns: int) -> None:
        chair = self._chair
        if chair is None:
            self._hear_first(data)
            return
        if self._allowance <= 0 and self._is_flood(received_ns):
            rate = self._limits.messages_per_s
            chair.misbehaved(f"sent more than {rate} messages a second beyond its answers")
            return
        self._allowance -= 1
        if len(data) > self._limits.message_bytes:
            most = self._limits.message_bytes
            chair.misbehaved(f"sent a message of {len(data)} bytes; {most} are allowed")
            return
        try:
            said = parse_request(data)
        except WireError as problem:
            chair.malformed(str(problem))
            return
        if type(said) is Decided:  # checked first: the only message on the hot path
            chair.decided(said, received_ns)
            return
        match said:
            case Nonsense(decision, what):
                chair.nonsense(decision, what)
            case Ready(name):
                chair.ready(name)
            case Failed(reason, detail, traceback):
                chair.failed(reason, detail, traceback)
            case _:
                chair.malformed("join: this connection has joined already")

    def _hear_first(self, data: bytes) -> None:
        try:
            said = parse_request(data[: self._limits.message_bytes])
            if not isinstance(said, Join):
                self.close("FAILED_PRECONDITION", "Say Join first.")
                return
        except WireError as problem:
            self.close("INVALID_ARGUMENT", f"The first message is malformed: {problem}.")
            return
        try:
            version = agree(said)
        except WireError as problem:
            self.close("FAILED_PRECONDITION", f"No version in common: {problem.problem}.")
            return
        chair = self._find(said.ticket)
        if chair is None:
            self.close("UNAUTHENTICATED", "This ticket is not good, or no longer so.")
            return
        self._chair = chair
        chair.join(self, said.prompt_events, version)

    def _is_flood(self, now_ns: int) -> bool:
        limits = self._limits
        earned = (now_ns - self._refilled_ns) * limits.messages_per_s // NS
        self._refilled_ns = now_ns
        self._allowance = min(earned, limits.burst)
        return self._allowance <= 0
