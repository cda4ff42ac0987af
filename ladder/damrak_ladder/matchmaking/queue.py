"""The expected queue: positions, starting times, and reasons for waiting."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from damrak_ladder.matchmaking.share import Shares
from damrak_ladder.message_codes import queue_codes as codes
from damrak_ladder.message_codes.message import Message


@dataclass(frozen=True, slots=True)
class Held:
    """Why an item could not start even on its turn: a reason for programs, and a message."""

    reason: str
    message: Message


@dataclass(frozen=True, slots=True)
class Waiting:
    """A waiting item, in order of arrival."""

    name: str
    flow: str
    seconds: float  # expected duration
    held: Held | None = None  # why it could not start even on its turn


@dataclass(frozen=True, slots=True)
class Outlook:
    """The forecast for one item, if nothing else arrives."""

    name: str
    position: int | None  # 1 starts next; None: not in line
    starts_in: float | None  # seconds
    reason: str  # "next", "machine", "place", "line" or "share"; or that of `held`
    message: Message


def outlook(
    waiting: Sequence[Waiting],
    busy: Sequence[float],
    idle: int,
    shares: Shares,
    weights: Mapping[str, float],
) -> tuple[Outlook, ...]:
    """Return the forecast for each item, in the order given.

    `busy` are the seconds until each running block ends, `idle` is the number of free places. The
    scheduler is simulated exactly.
    """
    lines: dict[str, deque[int]] = {}
    for at, one in enumerate(waiting):
        if one.held is None:
            lines.setdefault(one.flow, deque()).append(at)
    firsts = {line[0] for line in lines.values()}
    places = [0.0] * idle + list(busy)
    heapq.heapify(places)
    found: dict[int, Outlook] = {
        at: Outlook(one.name, None, None, one.held.reason, one.held.message)
        for at, one in enumerate(waiting)
        if one.held is not None
    }
    position = 0
    while lines:
        flow = shares.next({flow: weights.get(flow, 1.0) for flow in lines})
        assert flow is not None
        at = lines[flow].popleft()
        if not lines[flow]:
            del lines[flow]
        one = waiting[at]
        shares = shares.served(flow, one.seconds, weights.get(flow, 1.0))
        position += 1
        start = heapq.heappop(places) if places else None
        if start is not None:
            heapq.heappush(places, start + one.seconds)
        reason, message = _reason(position, start, at in firsts)
        found[at] = Outlook(one.name, position, start, reason, message)
    return tuple(found[at] for at in range(len(waiting)))


def _reason(position: int, start: float | None, is_first: bool) -> tuple[str, Message]:
    if start is None:
        return "machine", codes.NoWorker()
    if start <= 0:
        return "next", codes.StartsNow()
    if position == 1:
        return "place", codes.NextForPlace()
    if is_first:
        return "share", codes.BehindOthersShare(position - 1)
    return "line", codes.BehindSameQueue(position - 1)
