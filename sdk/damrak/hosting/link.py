"""The host's end of the connection to a child: frames out, lines in, all with deadlines."""

from __future__ import annotations

import select
import socket
import sys
from time import monotonic_ns
from typing import Final

from damrak.hosting.messages import LINE_LIMIT, ProtocolError
from damrak.hosting.output import Output

CHUNK: Final = 1 << 16
NS_PER_MS: Final = 1_000_000
PAUSE_MS: Final = 100  # silence after which a child's output is assumed to be complete


class LineClosed(Exception):
    """The child's end is closed: it exited, or the bot closed it."""


class DeadlinePassed(Exception):
    """The child took too long."""


class Link:
    """A connection to one child, which drains the child's output while it waits."""

    def __init__(self, line: socket.socket, output: Output) -> None:
        line.setblocking(False)
        self._line = line
        self._output = output
        self._buffer = bytearray()

    def send(self, data: bytes, deadline_ns: int) -> None:
        """Send all data.

        Raises:
            DeadlinePassed: the child does not read.
            LineClosed: the child has closed its end.
        """
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._line.send(rest) :]
            except BlockingIOError:
                self._wait(deadline_ns, writing=True)
            except OSError:
                raise LineClosed from None

    def receive(self, deadline_ns: int) -> bytes:
        """Return the next line, which must be the only one.

        Raises:
            DeadlinePassed: no complete line arrived in time.
            LineClosed: the child has closed its end.
            ProtocolError: the line is too long, or followed by more data.
        """
        buffer = self._buffer
        while True:
            end = buffer.find(b"\n")
            if end >= 0:
                line = bytes(buffer[:end])
                if end + 1 != len(buffer):
                    raise ProtocolError("more than the one answer that was asked for")
                buffer.clear()
                return line
            if len(buffer) > LINE_LIMIT:
                raise ProtocolError(f"a line of more than {LINE_LIMIT} bytes")
            self._wait(deadline_ns)
            try:
                data = self._line.recv(CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                raise LineClosed from None
            if not data:
                raise LineClosed
            buffer += data

    def listen(self, deadline_ns: int) -> None:
        """Read the child's output until it pauses, or until the deadline."""
        output = self._output
        while (left_ms := (deadline_ns - monotonic_ns()) / NS_PER_MS) > 0:
            if output.descriptor is None or output.descriptor not in _ready(
                output.descriptor, False, None, left_ms
            ):
                return
            output.drain()
            deadline_ns = min(deadline_ns, monotonic_ns() + PAUSE_MS * NS_PER_MS)

    def close(self) -> None:
        """Close the connection."""
        self._line.close()

    def _wait(self, deadline_ns: int, writing: bool = False) -> None:
        """Wait until the connection is ready, draining the child's output."""
        line = self._line.fileno()
        while True:
            left_ms = (deadline_ns - monotonic_ns()) / NS_PER_MS
            if left_ms <= 0:
                raise DeadlinePassed
            ready = _ready(line, writing, self._output.descriptor, left_ms)
            if self._output.descriptor in ready:
                self._output.drain()
            if line in ready:
                return


def _ready(line: int, writing: bool, output: int | None, timeout_ms: float) -> set[int]:
    """Return which of the two descriptors become ready before the timeout."""
    if sys.platform == "win32":
        reading = [d for d in (None if writing else line, output) if d is not None]
        found = select.select(reading, [line] if writing else [], [], timeout_ms / 1000)
        return {*found[0], *found[1]}
    poll = select.poll()
    poll.register(line, select.POLLOUT if writing else select.POLLIN)
    if output is not None:
        poll.register(output, select.POLLIN)
    return {descriptor for descriptor, _ in poll.poll(timeout_ms)}
