"""The output of a bot, standard output and error in one: the beginning and the end are kept."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Final

from damrak_wire.stack import Diversion, IsOurs, SourceOf

CHUNK: Final = 1 << 16
PIPE_CHUNKS: Final = 32  # no pipe holds more
BYTES_PER_SECOND: Final = 4 << 20
BURST: Final = 1 << 20


class Kept:
    """A bounded buffer of the first and the last bytes of an output."""

    def __init__(self, head: int, tail: int) -> None:
        self.total = 0  # bytes added
        self._appended = 0  # the same, without a stack dump
        self._head_limit, self._tail_limit = head, tail
        self._head = bytearray()
        self._tail = bytearray()
        self._diversion: Diversion | None = None

    def begin_dump(self) -> None:
        """Expect a stack dump in the data from now on, and keep it apart."""
        self._diversion = Diversion()

    def end_dump(self, is_ours: IsOurs, source: SourceOf) -> str:
        """Return the stack dumped since then, or an empty string; append the rest."""
        diversion, self._diversion = self._diversion, None
        if diversion is None:
            return ""
        stack, rest = diversion.end(is_ours, source)
        self._append(rest)
        return stack

    def add(self, data: bytes) -> None:
        """Append data."""
        self.total += len(data)
        self._append(data if self._diversion is None else self._diversion.add(data))

    def _append(self, data: bytes) -> None:
        self._appended += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        self._tail += data[max(room, 0) :]
        if len(self._tail) > 2 * self._tail_limit:
            del self._tail[: -self._tail_limit]

    def text(self) -> str:
        """Return the kept output as text, with a note of how much was dropped."""
        tail = self._tail[-self._tail_limit :] if self._tail_limit else b""
        lost = self._appended - len(self._head) - len(tail)
        gap = b"\n[%d bytes are not kept]\n" % lost if lost else b""
        return (bytes(self._head) + gap + bytes(tail)).decode("utf-8", "replace")


class Capture:
    """Reads a pipe as it fills, at a limited rate.

    A bot that prints faster blocks, on its own time; if one prints too much in total, `overflow`
    is called.
    """

    def __init__(self, pipe: int, kept: Kept, limit: int, overflow: Callable[[], None]) -> None:
        self.kept = kept
        self.overflowed = False
        self._pipe: int | None = pipe
        self._limit = limit
        self._overflow = overflow
        self._loop = asyncio.get_running_loop()
        self._allowance = float(BURST)
        self._asked_at = self._loop.time()
        self._rest: asyncio.TimerHandle | None = None
        os.set_blocking(pipe, False)
        self._loop.add_reader(pipe, self._readable)

    def drain(self) -> None:
        """Read what is in the pipe now."""
        before = -1
        for _ in range(PIPE_CHUNKS):
            if self.overflowed or self.kept.total == before:
                break
            before = self.kept.total
            self._take()

    def close(self) -> None:
        """Read what is still in the pipe, and close it."""
        self.drain()
        self._let_go()

    def _readable(self) -> None:
        if not self._take():
            self._let_go()
        elif self.overflowed:
            self._let_go()
            self._overflow()
        elif self._allowance < 0 and self._pipe is not None:
            self._loop.remove_reader(self._pipe)
            self._rest = self._loop.call_later(CHUNK / BYTES_PER_SECOND, self._go_on)

    def _go_on(self) -> None:
        self._rest = None
        if self._pipe is not None:
            self._loop.add_reader(self._pipe, self._readable)

    def _take(self) -> bool:
        """Read once; return whether there may be more, now or later."""
        if self._pipe is None:
            return False
        try:
            data = os.read(self._pipe, CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        now = self._loop.time()
        earned = (now - self._asked_at) * BYTES_PER_SECOND
        self._allowance = min(self._allowance + earned, BURST) - len(data)
        self._asked_at = now
        self.kept.add(data)
        self.overflowed = self.kept.total > self._limit
        return bool(data)

    def _let_go(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        if self._pipe is not None:
            self._loop.remove_reader(self._pipe)
            os.close(self._pipe)
            self._pipe = None
