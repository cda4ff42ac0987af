"""Dispatch: waiting blocks are assigned to hosts by fair share, and the hosts are notified."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q

from damrak_ladder.matches.attempts import patience
from damrak_ladder.matches.durations import seconds_per_game
from damrak_ladder.matches.flows import weights_of
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.pipeline.queue.capacity import Place, places, present
from damrak_ladder.pipeline.queue.fair_share import Turns, locked_turns
from damrak_ladder.pipeline.queue.waiting_blocks import InLine, lines

SENT_AGAIN_AFTER: Final = timedelta(seconds=15)
"""A message not followed by a start for this long may have been lost; with short leases, a quarter
of one lease."""

_LONGEST_LINE: Final = 64  # considered, so that blocks that cannot start do not hide those behind

Send = Callable[[str, int, int], object]
"""Asks a host (by name) to begin the attempt after the latest: `send(host, block, latest)`."""


@dataclass(frozen=True, slots=True)
class Order:
    """A message to a host."""

    host: str
    block: int
    latest: int


def dispatch(now: datetime, send: Send) -> int:
    """Assign blocks to hosts with room, and repeat messages that may have been lost.

    If the process is killed before it sends a message, the block is sent again later. Returns the
    number of messages.
    """
    with transaction.atomic():
        turns = locked_turns(now)
        there = places(now)
        take_back(there)
        orders = [*_again(there, now), *_assign(there, turns, now)]
        turns.keep(now)
    for order in orders:
        send(order.host, order.block, order.latest)
    return len(orders)


def take_back(there: Sequence[Place]) -> int:
    """Release blocks that lost hosts have not begun, for other hosts; return their number."""
    lost = Block.objects.filter(state=BlockState.WAITING, host__isnull=False)
    lost = lost.exclude(host__in=[place.host for place in there])
    return lost.update(host=None, sent=None)


def _again(there: Sequence[Place], now: datetime) -> list[Order]:
    names = {place.host.pk: place.host.name for place in there}
    wait = min(SENT_AGAIN_AFTER, patience().lease / 4)
    # A time in the future means that a clock was set back.
    long_ago = Q(sent__lte=now - wait) | Q(sent__gt=now + wait)
    overdue = Block.objects.filter(
        long_ago, state=BlockState.WAITING, host__in=list(names), due__lte=now
    )
    rows = list(overdue.order_by("pk").values_list("pk", "attempt", "host_id"))
    Block.objects.filter(pk__in=[row[0] for row in rows], state=BlockState.WAITING).update(sent=now)
    return [Order(names[host], block, attempt) for block, attempt, host in rows]


def _assign(there: Sequence[Place], turns: Turns, now: datetime) -> list[Order]:
    room = sum(place.room for place in there)
    if not room:
        return []
    waiting = lines(now, max(_LONGEST_LINE, 2 * room), present(there))
    weights = weights_of(waiting)
    seconds = seconds_per_game({line[0].ladder for line in waiting.values() if line})
    orders = []
    while turns.may_play():
        ready = {flow: found for flow in waiting if (found := _first(waiting[flow], there))}
        flow = turns.shares.next({flow: weights[flow] for flow in ready})
        if flow is None:
            break
        at, place = ready[flow]
        one = waiting[flow][at]
        del waiting[flow][at]
        if one.ladder not in seconds:
            seconds |= seconds_per_game([one.ladder])
        is_ours = Block.objects.filter(
            pk=one.block, state=BlockState.WAITING, attempt=one.attempt, host=None
        ).update(host=place.host, sent=now)
        if not is_ours:
            continue
        place.assigned += 1
        turns.serve(flow, one.games, one.games * seconds[one.ladder], weights[flow])
        orders.append(Order(place.host.name, one.block, one.attempt))
    return orders


def _first(line: deque[InLine], there: Sequence[Place]) -> tuple[int, Place] | None:
    """Return the first block of a line that can be played now, and its host."""
    for at, one in enumerate(line):
        place = place_for(one, there)
        if place is not None:
            return at, place
    return None


def place_for(one: InLine, there: Sequence[Place]) -> Place | None:
    """Return the host with the most room that can play this block, or None.

    A host that has failed at it is used again only if there is no other.
    """
    able = [place for place in there if place.takes(one.remotes)]
    others = [place for place in able if place.host.pk not in one.failed_at]
    free = [place for place in others or able if place.room]
    return max(free, key=lambda place: (place.room, -place.assigned), default=None)
