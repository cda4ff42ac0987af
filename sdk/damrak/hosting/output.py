"""Buffers for a bot's output, standard output and error combined, which keep only the end."""

from __future__ import annotations

import os
import sys
from threading import Thread
from typing import IO, TYPE_CHECKING, Final, Protocol

from damrak.hosting.faults import is_ours

if TYPE_CHECKING:
    from damrak_wire.stack import Diversion, SourceOf

CHUNK: Final = 1 << 16
MOMENT: Final = 0.2  # in seconds
REST: Final = 32  # number of chunks; a pipe holds fewer


class Output(Protocol):
    """The output of a child so far."""

    descriptor: int | None
    """Readable when there is something to `drain`; None if a thread does that."""

    def drain(self) -> None:
        """Read what has been printed, so that the child can print more."""

    def close(self) -> None:
        """Read the rest and close the buffer."""

    def text(self) -> str:
        """Return the end of the output."""

    def begin_dump(self) -> None:
        """Expect the dump of a stack in the output from now on."""

    def end_dump(self, source: SourceOf) -> str:
        """Return the stack that was dumped since `begin_dump`, or an empty text."""


class Tail:
    """The last `limit` bytes, in bounded memory."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.total = 0
        self._kept = bytearray()
        self._diversion: Diversion | None = None

    def begin_dump(self) -> None:
        """Keep the following data apart."""
        from damrak_wire.stack import Diversion  # imported late: needed only if a bot hangs

        self._diversion = Diversion()

    def end_dump(self, source: SourceOf) -> str:
        """Return the stack in the data since `begin_dump`, and append the rest."""
        diversion, self._diversion = self._diversion, None
        if diversion is None:
            return ""
        stack, rest = diversion.end(is_ours, source)
        self.add(rest)
        return stack

    def add(self, data: bytes) -> None:
        """Append data and drop the oldest."""
        if self._diversion is not None:
            data = self._diversion.add(data)
        self.total += len(data)
        self._kept += data
        if len(self._kept) > 2 * self.limit:
            del self._kept[: -self.limit]

    def text(self) -> str:
        """Return what is kept, with the number of dropped bytes."""
        text = bytes(self._kept[-self.limit :]).decode("utf-8", "replace")
        lost = self.total - self.limit
        return f"[{lost} bytes before this are not kept]\n{text}" if lost > 0 else text


class PipeOutput:
    """The reading end of a pipe, read whenever the host waits for the child."""

    def __init__(self, descriptor: int, limit: int) -> None:
        self.descriptor: int | None = descriptor
        self._tail = Tail(limit)
        if sys.platform != "win32":  # on Windows, ThreadOutput is used
            os.set_blocking(descriptor, False)

    def drain(self) -> None:
        """Read what is in the pipe now, at most one chunk."""
        if self.descriptor is not None:
            try:
                data = os.read(self.descriptor, CHUNK)
            except BlockingIOError:
                return
            if data:
                self._tail.add(data)
            else:
                self._let_go()

    def close(self) -> None:
        """Read the rest, which is at most one full pipe once the child is dead."""
        self._drain_all()
        self._let_go()

    def text(self) -> str:
        """Return the end of the output."""
        return self._tail.text()

    def begin_dump(self) -> None:
        """Read what was printed before, then keep the following data apart."""
        self._drain_all()
        self._tail.begin_dump()

    def end_dump(self, source: SourceOf) -> str:
        """Return the stack in the data since `begin_dump`."""
        return self._tail.end_dump(source)

    def _drain_all(self) -> None:
        for _ in range(REST):
            before = self._tail.total
            self.drain()
            if self._tail.total == before:
                break

    def _let_go(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


class ThreadOutput:
    """A pipe read by a thread, for platforms that cannot poll pipes."""

    descriptor: int | None = None

    def __init__(self, pipe: IO[bytes], limit: int) -> None:
        self._pipe = pipe
        self._tail = Tail(limit)
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def drain(self) -> None:
        """Give the thread a moment, which is enough if the child has ended."""
        self._thread.join(MOMENT)

    def close(self) -> None:
        """Wait a moment for the rest; the pipe ends with the child."""
        self._thread.join(MOMENT)
        if not self._thread.is_alive():
            self._pipe.close()

    def text(self) -> str:
        """Return the end of the output."""
        return self._tail.text()

    def begin_dump(self) -> None:
        """Keep the following data apart."""
        self._tail.begin_dump()

    def end_dump(self, source: SourceOf) -> str:
        """Return the stack in the data since `begin_dump`."""
        return self._tail.end_dump(source)

    def _read(self) -> None:
        while data := os.read(self._pipe.fileno(), CHUNK):
            self._tail.add(data)
