"""Scheduling: blocks are booked shortly before they are played, as many as hosts will soon need.

The upcoming turns are simulated exactly as they will be given out later; whenever a flow without a
waiting block gets a turn, one is booked for it. The simulation is not saved: only a block assigned
to a host counts as served.
"""

from __future__ import annotations

import logging
import secrets
from collections import deque
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from damrak_ladder.matches.boards import prepare_boards
from damrak_ladder.matches.booking import SEATS
from damrak_ladder.matches.durations import seconds_per_game
from damrak_ladder.matches.errors import MatchError
from damrak_ladder.matches.flows import weights_of
from damrak_ladder.matches.models import Block, BlockState, Purpose
from damrak_ladder.matches.waiting_time import put_first
from damrak_ladder.matchmaking import MOST_TURNS, Shares
from damrak_ladder.pipeline.queue.capacity import Place, places, present
from damrak_ladder.pipeline.queue.fair_share import locked_turns
from damrak_ladder.pipeline.queue.sources import Source, Tokens, sources
from damrak_ladder.pipeline.queue.waiting_blocks import lines, remotes_of

ABANDONED_AFTER: Final = timedelta(minutes=10)
"""A ladder block whose remote bot has been gone for this long is deleted."""


_log = logging.getLogger(__name__)


def schedule(now: datetime, tokens: Tokens = secrets.token_bytes) -> int:
    """Book the blocks that the hosts need next; return their number.

    Concurrent calls book no more than a single one would.
    """
    prepare_boards(now)  # outside of the transaction, as it may be slow
    with transaction.atomic():
        turns = locked_turns(now)
        there = places(now)
        strike_abandoned(there, now)
        if not any(place.room for place in there):
            return 0  # blocks booked now would only be based on staler data
        wanted = sum(place.room + place.host.workers for place in there)
        return _book(turns.shares, _meeting_place(there, tokens), there, wanted, tokens, now)


def strike_abandoned(there: list[Place], now: datetime) -> int:
    """Delete ladder blocks that wait in vain for remote bots, so that others can play.

    Returns the number of deleted rows.
    """
    old = Block.objects.filter(
        state=BlockState.WAITING,
        purpose=Purpose.LADDER,
        is_mirrored=False,
        host=None,
        created__lt=now - ABANDONED_AFTER,
    )
    remotes = remotes_of(list(old.values_list("pk", flat=True)))
    gone = [
        block
        for block, versions in remotes.items()
        if there and not any(place.takes(versions) for place in there)
    ]
    if not gone:
        return 0
    put_first(gone, MOST_TURNS / min(SEATS))
    return old.filter(pk__in=gone).delete()[0]


def _book(
    shares: Shares,
    place: Place,
    there: list[Place],
    wanted: int,
    tokens: Tokens,
    now: datetime,
) -> int:
    able = sources(place, wanted, tokens, now)
    ready = {
        flow: deque(
            (one.ladder, one.games) for one in line if any(at.takes(one.remotes) for at in there)
        )
        for flow, line in lines(now, wanted, present(there)).items()
    }
    flows = able.keys() | {flow for flow, line in ready.items() if line}
    weights = weights_of(flows)
    seconds: dict[int | None, float] = {}
    taken = booked = 0
    while taken < wanted and flows:
        flow = shares.next({flow: weights[flow] for flow in flows})
        assert flow is not None
        if ready.get(flow):
            ladder, games = ready[flow].popleft()
        elif flow in able and (block := _next_of(able[flow])) is not None:
            ladder, games = block.ladder_id, block.matches.count()
            booked += 1
        else:
            flows.discard(flow)
            continue
        taken += 1
        if ladder not in seconds:
            seconds |= seconds_per_game([ladder])
        shares = shares.served(flow, games * seconds[ladder], weights[flow])
    return booked


def _next_of(source: Source) -> Block | None:
    """Book the next block of a source; None if there is none, or it failed, which is logged."""
    try:
        return source.book_next()
    except MatchError:  # such as a missing board: other flows continue
        _log.exception("nothing_booked", extra={"flow": source.flow})
        return None


def _meeting_place(there: list[Place], tokens: Tokens) -> Place:
    """Return the host whose lobby supplies the remote bots of the new tables, chosen at random."""
    able = [place for place in there if place.lobby] or there
    return able[int.from_bytes(tokens(4), "big") % len(able)]
