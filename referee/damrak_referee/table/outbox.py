"""Outgoing messages of a stream.

A message is being written when `put` returns, unless an earlier one still is. No task is woken for
it, which would cost more than everything else that a referee does to pass on a decision. Instead,
an outbox does what tasks do: it runs the writing coroutine until that waits for a future, and
resumes it when the future is done. Python 3.12 has this as eager tasks, but only for tasks.

Questions may be delayed briefly; see `Departures`.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final

import grpc
import structlog

log = structlog.get_logger()

PATIENCE_NS: Final = 1_000_000


class Departures:
    """Batches questions, so that those put in one pass of the event loop are sent together.

    A busy referee receives many answers in one pass. If it sent each next question at once, every
    client would be woken separately, and deciding would alternate with writing; in sequence they
    cost all processes together a fifth less. The first question of a pass is not delayed, so under
    low load none is. The others are sent before the first of them has waited for longer than
    `patience_ns`, unless a single step takes that long.
    """

    __slots__ = ("_is_passing", "_loop", "_patience_ns", "_since_ns", "_waiting")

    def __init__(self, loop: asyncio.AbstractEventLoop, patience_ns: int = PATIENCE_NS) -> None:
        self._loop = loop
        self._patience_ns = patience_ns
        self._is_passing = False
        self._since_ns = 0  # when the first waiting question was put
        self._waiting: list[Outbox] = []

    def add(self, outbox: Outbox) -> None:
        """Let the outbox write, now or soon."""
        if not self._is_passing:
            self._is_passing = True
            self._loop.call_soon(self._passed)
            outbox.depart()
            return
        now = time.monotonic_ns()
        if not self._waiting:
            self._since_ns = now
        self._waiting.append(outbox)
        if now - self._since_ns >= self._patience_ns:
            self._depart()

    def serves(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Return whether it belongs to this event loop."""
        return self._loop is loop

    def _passed(self) -> None:
        self._is_passing = False
        self._depart()

    def _depart(self) -> None:
        waiting, self._waiting = self._waiting, []
        for outbox in waiting:
            outbox.depart()


_departures: Departures | None = None


def departures() -> Departures:
    """Return the Departures of the running loop, which all its outboxes share."""
    global _departures
    loop = asyncio.get_running_loop()
    if _departures is None or not _departures.serves(loop):
        _departures = Departures(loop)
    return _departures


class Outbox:
    """Messages of one stream, in order.

    `emptied` is called whenever none is left, `overflowed` when more than `most` are waiting.
    """

    __slots__ = (
        "_departures",
        "_emptied",
        "_is_broken",
        "_most",
        "_overflowed",
        "_question",
        "_waiting",
        "_write",
        "_writing",
        "asked_ns",
    )

    def __init__(
        self,
        write: Callable[[bytes], Coroutine[Any, Any, None]],
        emptied: Callable[[], None],
        overflowed: Callable[[], None],
        most: int,
        departures: Departures,
    ) -> None:
        self.asked_ns = 0  # when the last question was sent
        self._departures = departures
        self._write = write
        self._emptied = emptied
        self._overflowed = overflowed
        self._most = most
        self._waiting: deque[bytes] = deque()
        self._writing: Coroutine[Any, Any, None] | None = None
        self._question: bytes | None = None  # the last one, until it is sent
        self._is_broken = False

    def __len__(self) -> int:
        return len(self._waiting) + (self._writing is not None)

    def put(self, data: bytes) -> None:
        """Write the data after all data put before."""
        if not self._is_broken:
            self._waiting.append(data)
            if self._writing is None:
                self._go_on()
            elif len(self._waiting) > self._most:
                self._overflowed()

    def put_question(self, data: bytes) -> None:
        """Write the data at the next departure, and note the time."""
        self._question = data
        if self._writing is not None:
            self.put(data)
        elif not self._is_broken:
            self._waiting.append(data)
            self._departures.add(self)

    def depart(self) -> None:
        """Write the waiting messages, if none is being written."""
        if self._waiting and self._writing is None:
            self._go_on()

    def clear(self) -> None:
        """Drop the messages that wait."""
        self._waiting.clear()

    def _go_on(self, _: object = None) -> None:
        """Write until the stream has to wait."""
        writing, waiting = self._writing, self._waiting
        try:
            while True:
                if writing is None:
                    if not waiting:
                        break
                    data = waiting.popleft()
                    if data is self._question:
                        self._question = None
                        self.asked_ns = time.monotonic_ns()
                    writing = self._write(data)
                try:
                    future = writing.send(None)
                except StopIteration:
                    writing = None
                else:
                    future._asyncio_future_blocking = False  # as tasks do: acknowledges the wait
                    future.add_done_callback(self._go_on)
                    self._writing = writing
                    return
        except grpc.aio.BaseError:  # the client has disconnected
            self._is_broken = True
            waiting.clear()
        except Exception:  # any error concerns only this connection
            log.exception("seat_write_failed")
            self._is_broken = True
            self._overflowed()
        self._writing = None
        self._emptied()
