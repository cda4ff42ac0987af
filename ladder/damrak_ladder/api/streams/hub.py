"""The reader of the log in this process, and the events that it keeps for all streams.

Everything here runs in the event loop, except for queries, which run in threads of the hub.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from typing import TYPE_CHECKING, Any, Final, TypeVar

from django.db import DatabaseError, connection

from damrak_ladder.accounts.budgets import network
from damrak_ladder.api.streams.frames import Message
from damrak_ladder.changes.positions import reach
from damrak_ladder.changes.tokens import token_at
from damrak_ladder.events.queries import events_after
from damrak_ladder.events.values import Event

if TYPE_CHECKING:
    from damrak_ladder.api.streams.subscription import Subscription

T = TypeVar("T")

POLL_SECONDS: Final = 1.0
HEARTBEAT_SECONDS: Final = 15.0
LINGER_SECONDS: Final = 5.0  # how long to read on without streams: a client may come back
MOST_STREAMS: Final = 2000  # of this process
MOST_KEPT: Final = 2000  # events; streams that are further behind read the database
_THREADS: Final = 2

_log = logging.getLogger(__name__)


class Kept:
    """An event with its message."""

    __slots__ = ("event", "message")

    def __init__(self, event: Event) -> None:
        self.event = event
        self.message = Message(event.as_json(), token_at(event.position))


class Hub:
    """The streams of this process."""

    def __init__(self, poll: float = POLL_SECONDS, heartbeat: float = HEARTBEAT_SECONDS) -> None:
        self.beats = 0
        self.base = 0  # all later events are kept
        self.reached = 0
        self.ending = ""  # the reason, once all streams have to end
        self._poll = poll
        self._heartbeat = heartbeat
        self._kept: list[Kept] = []
        self._subscriptions: set[Subscription] = set()
        self._places: Counter[str] = Counter()  # by network
        self._task: asyncio.Task[None] | None = None
        self._threads: ThreadPoolExecutor | None = None

    def __len__(self) -> int:
        return len(self._subscriptions)

    def is_full(self, address: str, most: int) -> bool:
        """Return whether the limit of all streams, or `most` for this network, is reached."""
        return len(self) >= MOST_STREAMS or self._places[network(address)] >= most

    def join(self, subscription: Subscription) -> None:
        """Add a stream, and read the log while there are any."""
        self._subscriptions.add(subscription)
        self._places[network(subscription.address)] += 1
        if self._task is None or self._task.done():
            # In a context of its own, as this one belongs to a request.
            self._task = asyncio.get_running_loop().create_task(self._run(), context=Context())

    def leave(self, subscription: Subscription) -> None:
        """Remove a stream."""
        self._subscriptions.discard(subscription)
        place = network(subscription.address)
        self._places[place] -= 1
        if self._places[place] <= 0:
            del self._places[place]

    def end(self, reason: str) -> None:
        """End all streams with a last message; call it in the event loop."""
        self.ending = reason
        self._wake()

    def since(self, position: int) -> list[Kept]:
        """Return the kept events after a position, which must not be before `base`."""
        if position >= self.reached:
            return []
        return self._kept[bisect_right(self._kept, position, key=lambda it: it.event.position) :]

    async def ask(self, question: Callable[..., T], *args: Any) -> T:
        """Return the answer of a function that uses the database, in a thread of the hub."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="streams")
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, _asked, question, *args
        )

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        next_beat, alone_since = loop.time() + self._heartbeat, loop.time()
        self._kept, is_new = [], True
        while not self.ending:
            try:
                await self._read(is_new)
                is_new = False
            except DatabaseError:
                _log.warning("streams_without_database", exc_info=True)
            if loop.time() >= next_beat:
                next_beat = loop.time() + self._heartbeat
                self.beats += 1
                self._wake()
            if self._subscriptions:
                alone_since = loop.time()
            elif loop.time() - alone_since > LINGER_SECONDS:
                break
            await asyncio.sleep(self._poll)
        self._task = None
        if self._threads is not None and not self._subscriptions:
            self._threads.shutdown(wait=False)
            self._threads = None

    async def _read(self, is_new: bool) -> None:
        """Read what is new; a reader that has just begun has missed what was before."""
        last, _ = await self.ask(reach)
        if is_new:
            self.base = self.reached = last
            self._wake()
        while self.reached < last:
            events, reached = await self.ask(events_after, self.reached)
            self._kept += [Kept(event) for event in events]
            # Retention may have deleted the rest.
            self.reached = reached if reached > self.reached else last
            if (surplus := len(self._kept) - MOST_KEPT) > 0:
                self.base = self._kept[surplus - 1].event.position
                del self._kept[:surplus]
            self._wake()

    def _wake(self) -> None:
        for subscription in self._subscriptions:
            subscription.wake()


def _asked(question: Callable[..., T], *args: Any) -> T:
    try:
        return question(*args)
    finally:
        connection.close()  # of this thread; with PostgreSQL it goes back to the pool


HUB: Final = Hub()
"""The hub of this process."""
