"""What a bot prints, standard output and error in one, of which only the end is kept."""

from __future__ import annotations

import os
import sys
from threading import Thread
from typing import IO, TYPE_CHECKING, Final, Protocol

from damrak.hosting.faults import is_ours

if TYPE_CHECKING:
    from damrak_wire.stack import Diversion, SourceOf

CHUNK: Final = 1 << 16
MOMENT: Final = 0.2  # seconds
REST: Final = 32  # chunks; a pipe holds fewer


class Output(Protocol):
    """What one child printed so far."""

    descriptor: int | None
    """Readable when there is something to `drain`; None if somebody else sees to that."""

    def drain(self) -> None:
        """Take what has been printed, so that the child can print more."""

    def close(self) -> None:
        """Read the rest and let go of it."""

    def text(self) -> str:
        """The end of what was printed."""

    def begin_dump(self) -> None:
        """From now on, expect the dump of a stack between what the child prints."""

    def end_dump(self, source: SourceOf) -> str:
        """Returns the stack that was dumped since then, or an empty text."""


class Tail:
    """The last so many bytes, in memory that does not grow."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.total = 0
        self._kept = bytearray()
        self._diversion: Diversion | None = None

    def begin_dump(self) -> None:
        """Keep what follows apart."""
        from damrak_wire.stack import Diversion  # only needed once a bot hangs

        self._diversion = Diversion()

    def end_dump(self, source: SourceOf) -> str:
        """Returns the stack in what followed, and appends the rest."""
        diversion, self._diversion = self._diversion, None
        if diversion is None:
            return ""
        stack, rest = diversion.end(is_ours, source)
        self.add(rest)
        return stack

    def add(self, data: bytes) -> None:
        """Append, and forget what is too old."""
        if self._diversion is not None:
            data = self._diversion.add(data)
        self.total += len(data)
        self._kept += data
        if len(self._kept) > 2 * self.limit:
            del self._kept[: -self.limit]

    def text(self) -> str:
        """What is kept, saying how much is not."""
        text = bytes(self._kept[-self.limit :]).decode("utf-8", "replace")
        lost = self.total - self.limit
        return f"[{lost} bytes before this are not kept]\n{text}" if lost > 0 else text


class PipeOutput:
    """The reading end of a pipe, read whenever the host waits for the child."""

    def __init__(self, descriptor: int, limit: int) -> None:
        self.descriptor: int | None = descriptor
        self._tail = Tail(limit)
        if sys.platform != "win32":  # where ThreadOutput does this
            os.set_blocking(descriptor, False)

    def drain(self) -> None:
        """Take what is in the pipe now, one chunk at most."""
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
        """Take the rest: once the child is dead, that is one pipe full."""
        self._drain_all()
        self._let_go()

    def text(self) -> str:
        """The end of what was printed."""
        return self._tail.text()

    def begin_dump(self) -> None:
        """Take what was printed before, then keep what follows apart."""
        self._drain_all()
        self._tail.begin_dump()

    def end_dump(self, source: SourceOf) -> str:
        """Returns the stack in what followed."""
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
    """A pipe with a thread that reads it: for platforms that cannot wait for pipes."""

    descriptor: int | None = None

    def __init__(self, pipe: IO[bytes], limit: int) -> None:
        self._pipe = pipe
        self._tail = Tail(limit)
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def drain(self) -> None:
        """Give the thread a moment, which is all that a child needs that has ended."""
        self._thread.join(MOMENT)

    def close(self) -> None:
        """Wait a moment for the rest, which ends when the child does."""
        self._thread.join(MOMENT)
        if not self._thread.is_alive():
            self._pipe.close()

    def text(self) -> str:
        """The end of what was printed."""
        return self._tail.text()

    def begin_dump(self) -> None:
        """Keep what follows apart."""
        self._tail.begin_dump()

    def end_dump(self, source: SourceOf) -> str:
        """Returns the stack in what followed."""
        return self._tail.end_dump(source)

    def _read(self) -> None:
        while data := os.read(self._pipe.fileno(), CHUNK):
            self._tail.add(data)
