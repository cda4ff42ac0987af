"""What is still to be written to a stream.

A message is on its way when `put` returns, unless an earlier one still is: no task has to be woken
for it, which would cost more than all else that a referee does to pass on a decision. For that, an
outbox does what tasks do: it runs the coroutine that writes up to where it waits for a future, and
goes on when that is done. Python 3.12 calls that an eager task, and has it for tasks alone.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

import grpc
import structlog

log = structlog.get_logger()


class Outbox:
    """Messages of one stream in their order.

    `emptied` is called whenever none is left, `overflowed` when more than `most` are waiting.
    """

    __slots__ = (
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
    ) -> None:
        self.asked_ns = 0  # when the last question left
        self._write = write
        self._emptied = emptied
        self._overflowed = overflowed
        self._most = most
        self._waiting: deque[bytes] = deque()
        self._writing: Coroutine[Any, Any, None] | None = None
        self._question: bytes | None = None  # the last one, until it leaves
        self._is_broken = False

    def __len__(self) -> int:
        return len(self._waiting) + (self._writing is not None)

    def put(self, data: bytes) -> None:
        """Write this after all that was put in before."""
        if not self._is_broken:
            self._waiting.append(data)
            if self._writing is None:
                self._go_on()
            elif len(self._waiting) > self._most:
                self._overflowed()

    def put_question(self, data: bytes) -> None:
        """The same, and note when it leaves."""
        self._question = data
        self.put(data)

    def clear(self) -> None:
        """Drop what has not left."""
        self._waiting.clear()

    def _go_on(self, _: object = None) -> None:
        """Write until something has to be waited for."""
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
                    future._asyncio_future_blocking = False  # says: it was seen that this waits
                    future.add_done_callback(self._go_on)
                    self._writing = writing
                    return
        except grpc.aio.BaseError:  # the client has gone
            self._is_broken = True
            waiting.clear()
        except Exception:  # whatever it is, it concerns this connection alone
            log.exception("seat_write_failed")
            self._is_broken = True
            self._overflowed()
        self._writing = None
        self._emptied()
