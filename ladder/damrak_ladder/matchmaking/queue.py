"""The expected queue: positions, starting times, and reasons for waiting."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from damrak_ladder.matchmaking.share import Shares


@dataclass(frozen=True, slots=True)
class Waiting:
    """A waiting item, in order of arrival."""

    name: str
    flow: str
    seconds: float  # expected duration
    held: str | None = None  # why it could not start even on its turn


@dataclass(frozen=True, slots=True)
class Outlook:
    """The forecast for one item, if nothing else arrives."""

    name: str
    position: int | None  # 1 starts next; None: not in line
    starts_in: float | None  # seconds
    reason: str  # "next", "machine", "place", "line" or "share"; or `held`
    text: str  # the same in words


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
        at: Outlook(one.name, None, None, one.held, f"held: {one.held}")
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
        reason, text = _reason(position, start, at in firsts)
        found[at] = Outlook(one.name, position, start, reason, text)
    return tuple(found[at] for at in range(len(waiting)))


def _reason(position: int, start: float | None, is_first: bool) -> tuple[str, str]:
    if start is None:
        return "machine", "no worker is running"
    if start <= 0:
        return "next", "starts now"
    if position == 1:
        return "place", "next in line: waits for a place on the machine"
    ahead = f"{position - 1} before it"
    if is_first:
        return "share", f"{ahead}: others have used less of their share"
    return "line", f"{ahead}, some of them of the same queue"
