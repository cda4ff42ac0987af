"""All blocks that a referee knows: the running ones, and ended ones for a while.

A block is identified by its id and attempt. After a block is forgotten, its key and the hash of its
order are kept much longer, so that it is not started twice.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import structlog

from damrak_referee.blocks.archives import Archives
from damrak_referee.blocks.block import Block
from damrak_referee.blocks.house_bots import HouseBots
from damrak_referee.blocks.running_match import Premises
from damrak_wire.orders import Archive, BlockOrder, House, Remote, Ticket

REMEMBERED: Final = 10_000  # keys of forgotten blocks
KEPT_BYTES: Final = 64 * 1024 * 1024  # of replays; beyond this, delivered blocks go early
DELIVERY: Final = 5.0  # seconds that a drained referee waits for an ended block to be fetched

_log = structlog.get_logger()

Key = tuple[str, int]


class BlockRefused(Exception):
    """A block is not started; `code` is the name of a gRPC status."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


@dataclass(frozen=True, slots=True)
class BlockLimits:
    """Limits of blocks. Durations are in seconds; see the settings of the same names."""

    capacity: int
    start_limit: float
    patience: float
    first_patience: float
    retention: float


@dataclass(slots=True)
class _Entry:
    digest: bytes
    block: Block
    ended: float = 0.0


class Blocks:
    """A registry that starts, finds, cancels and forgets blocks."""

    def __init__(
        self, premises: Premises, archives: Archives, limits: BlockLimits, house: HouseBots
    ) -> None:
        self.limits = limits
        self.house = house
        self.is_draining = False
        self._premises = premises
        self._archives = archives
        self._entries: dict[Key, _Entry] = {}
        self._forgotten: OrderedDict[Key, bytes] = OrderedDict()
        self._watchers: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Block]:
        return iter([entry.block for entry in self._entries.values()])

    @property
    def running(self) -> int:
        """The number of matches in progress."""
        return sum(block.running for block in self)

    @property
    def reserved(self) -> int:
        """The number of matches that may still run at once."""
        return sum(block.reserved for block in self)

    # --- start

    def start(self, order: BlockOrder, digest: bytes) -> list[Ticket]:
        """Start the block of this order unless it is known; return the tickets of a new block.

        Raises:
            BlockRefused: the block cannot be started, for the given reason.
        """
        key = (order.block, order.attempt)
        known = self._entries.get(key)
        before = known.digest if known is not None else self._forgotten.get(key)
        if before is not None:
            if before != digest:
                raise BlockRefused(
                    "ALREADY_EXISTS",
                    f"block {order.block} attempt {order.attempt} is another order",
                )
            return []
        width = self._check(order)
        block = Block(self._premises, self._archives, order, width)
        limit = order.start_limit_ms or round(self.limits.start_limit * 1000)
        patience = order.patience_ms / 1000
        first = max(patience, self.limits.first_patience)
        block.begin(limit, first, patience or self.limits.patience)
        self._entries[key] = _Entry(digest, block)
        watcher = asyncio.ensure_future(self._see_off(key, block))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)
        return block.take_tickets()

    def _check(self, order: BlockOrder) -> int:
        """Return how many of its matches may run at once; refuse an order that cannot be played."""
        if self.is_draining:
            raise BlockRefused("UNAVAILABLE", "this referee takes no more blocks")
        newest = max((key[1] for key in self._entries if key[0] == order.block), default=0)
        if newest > order.attempt:
            raise BlockRefused("ALREADY_EXISTS", f"attempt {newest} of the block is known already")
        self._check_seats(order)
        for (block, attempt), entry in self._entries.items():
            if block == order.block and attempt < order.attempt:
                entry.block.cancel(f"attempt {order.attempt} takes its place")
        matches = len(order.matches)
        width = min(order.parallel or matches, matches, self.limits.capacity)
        free = self.limits.capacity - self.reserved
        if width > free:
            raise BlockRefused(
                "UNAVAILABLE", f"no room: {width} matches at once are wanted, {free} would fit"
            )
        return width

    def _check_seats(self, order: BlockOrder) -> None:
        missing = set()
        for i, match in enumerate(order.matches):
            called = set()
            for j, seat in enumerate(match.seats):
                where = f"matches[{i}].seats[{j}]"
                match seat.place:
                    case House(spec):
                        problem = self.house.objection(spec)
                        if problem is not None:
                            raise BlockRefused("INVALID_ARGUMENT", f"{where}.house: {problem}")
                    case Archive(sha256) if not self._archives.has(sha256):
                        missing.add(sha256)
                    case Archive() if self._premises.runner.isolation == "none":
                        lacking = "; ".join(self._premises.runner.missing)
                        raise BlockRefused(
                            "FAILED_PRECONDITION", f"uploaded bots are refused here: {lacking}"
                        )
                    case Remote(bot) if bot in called:
                        raise BlockRefused(
                            "INVALID_ARGUMENT", f"{where}.remote: {bot!r} sits in this match twice"
                        )
                    case Remote(bot):
                        called.add(bot)
                    case _:
                        pass
        if missing:
            names = ", ".join(sorted(missing))
            raise BlockRefused("FAILED_PRECONDITION", f"archives are missing: {names}")

    async def _see_off(self, key: Key, block: Block) -> None:
        """Keep a block for the retention period after its end, then forget it."""
        await block.over.wait()
        self._entries[key].ended = time.monotonic()
        self._make_room()
        await asyncio.sleep(self.limits.retention)
        self._forget(key)

    def _make_room(self) -> None:
        """Forget delivered blocks, the oldest first, while the kept replays are too large."""
        ended = [(key, entry) for key, entry in self._entries.items() if entry.ended]
        size = sum(entry.block.size for _, entry in ended)
        for key, entry in sorted(ended, key=lambda item: item[1].ended):
            if size <= KEPT_BYTES:
                return
            if entry.block.was_heard and not entry.block.followers:
                size -= entry.block.size
                self._forget(key)

    def _forget(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._forgotten[key] = entry.digest
            while len(self._forgotten) > REMEMBERED:
                self._forgotten.popitem(last=False)

    # --- find, cancel, drain

    def find(self, block: str, attempt: int) -> Block | None:
        """Return the block, or None if it is no longer known."""
        entry = self._entries.get((block, attempt))
        return entry.block if entry is not None else None

    def drain(self) -> None:
        """Accept no more blocks."""
        self.is_draining = True

    def cancel_all(self, reason: str) -> None:
        """Cancel all blocks."""
        for block in self:
            block.cancel(reason)

    async def wait_until_over(self) -> None:
        """Wait until all blocks have ended and their followers have received the end."""
        for entry in list(self._entries.values()):
            await entry.block.over.wait()
        deadline = time.monotonic() + DELIVERY
        while time.monotonic() < deadline and any(map(_is_unheard, self._entries.values())):
            await asyncio.sleep(0.02)

    def close(self) -> None:
        """Cancel the retention timers."""
        for watcher in self._watchers:
            watcher.cancel()


def _is_unheard(entry: _Entry) -> bool:
    """Return whether a client may still want to fetch the end of a block."""
    if entry.block.followers:
        return True
    if entry.block.was_heard or entry.block.outcome == "cancelled":
        return False
    return time.monotonic() - entry.ended < DELIVERY
