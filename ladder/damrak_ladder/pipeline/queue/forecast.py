"""Forecast of the queue: running and waiting blocks, and when each is expected to start.

The dispatch of the waiting blocks is simulated exactly, so the queue shows what will happen if
nothing else is booked.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Count

from damrak_ladder.bots.models import Bot, Kind, Version
from damrak_ladder.matches.durations import seconds_per_game
from damrak_ladder.matches.flows import weights_of
from damrak_ladder.matches.models import Attempt, Block, BlockState, Seat
from damrak_ladder.matchmaking import Held, Outlook, Waiting, outlook
from damrak_ladder.message_codes import queue_codes as codes
from damrak_ladder.message_codes.message import Message
from damrak_ladder.pipeline.queue.capacity import Place, places
from damrak_ladder.pipeline.queue.fair_share import Turns, turns_now
from damrak_ladder.pipeline.queue.waiting_blocks import remotes_of
from damrak_ladder.tournaments.visibility import visible_blocks

MOST: Final = 200
"""The maximum length of each list; the total counts are given as well."""


@dataclass(frozen=True, slots=True)
class Running:
    """A block that is being played."""

    block: Block
    versions: tuple[Version, ...]
    games: int
    seconds: float  # since the start
    ends_in: float  # seconds, estimated


@dataclass(frozen=True, slots=True)
class Queued:
    """A waiting block.

    `reason` is "next", "machine", "place", "line", "share", "limit", "remote", "announced" or
    "rest"; `message` is the same for people.
    """

    block: Block
    versions: tuple[Version, ...]
    games: int
    position: int | None  # 1 starts next; None: it cannot start yet
    starts_in: float | None  # seconds
    reason: str
    message: Message


@dataclass(frozen=True, slots=True)
class Queue:
    """All running and waiting blocks, the first `MOST` of each."""

    running: tuple[Running, ...]
    waiting: tuple[Queued, ...]  # in the order of their start, blocks on hold last
    running_count: int
    waiting_count: int
    hosts: int
    places: int  # blocks that can be played at once
    shares: dict[str, float]  # of capacity, by flow, among flows with work


def queue(now: datetime, most: int = MOST) -> Queue:
    """Return the current queue, with at most `most` entries per list.

    The number of queries does not depend on the number of blocks that have been played.
    """
    there = places(now)
    public = visible_blocks(None)
    running = public.filter(state=BlockState.RUNNING)
    waiting = public.filter(state=BlockState.WAITING)
    playing = list(_counted(running)[:most])
    in_line = list(_counted(waiting)[:most])
    seconds = seconds_per_game({block.ladder_id for block in [*playing, *in_line]})
    seated = _seated([block.pk for block in [*playing, *in_line]])
    shown = _running(playing, seated, seconds, now)
    # The blocks of an unreachable host count as running until their leases expire, but do not free
    # a place.
    heard = {None, *(place.host.pk for place in there)}
    busy = [one.ends_in for one in shown if one.block.host_id in heard]
    queued = _queued(in_line, seated, seconds, there, busy, now)
    weights = weights_of({block.flow for block in [*playing, *in_line]})
    total = sum(weights.values())
    return Queue(
        running=tuple(shown),
        waiting=tuple(queued),
        running_count=running.count(),
        waiting_count=waiting.count(),
        hosts=len(there),
        places=sum(place.host.workers for place in there),
        shares={flow: weight / total for flow, weight in weights.items()},
    )


def place_of(block_id: int, now: datetime) -> Queued | None:
    """Return a block's entry in the queue; None if it is not among the first waiting blocks."""
    return next((one for one in queue(now).waiting if one.block.pk == block_id), None)


def held_back(versions: Sequence[Version], now: datetime) -> Message | None:
    """Return why these versions could not play together now; None if they could."""
    there = places(now)
    if not there:
        return codes.NoWorker()
    remotes = {version.pk: version.bot.slug for version in versions if version.kind == Kind.REMOTE}
    if any(place.takes(remotes) for place in there):
        return None
    absent = remotes.keys() - frozenset().union(*(place.lobby for place in there))
    return _missing(sorted(remotes[one] for one in absent or remotes), absent)


def _counted(blocks: models.QuerySet[Block]) -> models.QuerySet[Block]:
    # Many blocks share few ladders and hosts, whose rows are large: fetch each of them once.
    full = blocks.prefetch_related("ladder", "host")
    return full.defer("options", "control").order_by("pk")


def _seated(blocks: Sequence[int]) -> dict[int, tuple[tuple[Version, ...], int]]:
    """Return the versions and the number of games of each block."""
    games = dict(
        Block.objects.filter(pk__in=blocks)
        .annotate(games=Count("matches"))
        .values_list("pk", "games")
    )
    seats = Seat.objects.filter(match__block_id__in=blocks, match__number=0)
    sat = list(seats.order_by("match_id", "number").values_list("match__block", "version"))
    known = Version.objects.select_related("bot").defer("evidence")
    versions = known.in_bulk({version for _, version in sat})
    found: dict[int, list[Version]] = {block: [] for block in blocks}
    for block, version in sat:
        found[block].append(versions[version])
    return {block: (tuple(seated), games[block]) for block, seated in found.items()}


def _running(
    blocks: Sequence[Block],
    seated: dict[int, tuple[tuple[Version, ...], int]],
    seconds: dict[int | None, float],
    now: datetime,
) -> list[Running]:
    started = dict(
        Attempt.objects.filter(block__in=[block.pk for block in blocks], ended=None).values_list(
            "block_id", "started"
        )
    )
    found = []
    for block in blocks:
        versions, games = seated[block.pk]
        passed = max(0.0, (now - started.get(block.pk, now)).total_seconds())
        left = max(0.0, games * seconds[block.ladder_id] - passed)
        found.append(Running(block, versions, games, passed, left))
    return found


def _queued(
    blocks: Sequence[Block],
    seated: dict[int, tuple[tuple[Version, ...], int]],
    seconds: dict[int | None, float],
    there: Sequence[Place],
    busy: list[float],
    now: datetime,
) -> list[Queued]:
    turns = turns_now(now)
    costs = {block.pk: seated[block.pk][1] * seconds[block.ladder_id] for block in blocks}
    free = sum(place.host.workers for place in there)
    ends = [0.0] * max(0, free - len(busy)) + busy if free else []
    heapq.heapify(ends)
    alive = {place.host.pk for place in there}
    told = [block for block in blocks if block.host_id in alive]
    found = {}
    for position, block in enumerate(told, 1):
        start = heapq.heappop(ends) if ends else None
        if start is not None:
            heapq.heappush(ends, start + costs[block.pk])
        host = block.host.name if block.host is not None else ""
        message = codes.HostBegins(host)
        found[block.pk] = Outlook(str(block.pk), position, start, "next", message)
    rest = [block for block in blocks if block.host_id not in alive]  # soon assigned to other hosts
    held = _held(rest, there, now)
    waits = [
        Waiting(str(block.pk), block.flow, costs[block.pk], held.get(block.pk)) for block in rest
    ]
    weights = weights_of({block.flow for block in rest})
    idle = sum(end <= 0 for end in ends)
    for block, one in zip(
        rest, outlook(waits, [e for e in ends if e > 0], idle, turns.shares, weights), strict=True
    ):
        if block.pk in held:
            found[block.pk] = one
        else:
            assert one.position is not None
            found[block.pk] = replace(one, position=one.position + len(told))
    queued = [
        Queued(block, *seated[block.pk], one.position, one.starts_in, one.reason, one.message)
        for block in blocks
        for one in [found[block.pk]]
    ]
    queued.sort(key=lambda one: (one.position is None, one.position or 0, one.block.pk))
    return _limited(queued, turns)


def _held(blocks: Sequence[Block], there: Sequence[Place], now: datetime) -> dict[int, Held]:
    """Return why some blocks could not start even on their turn."""
    remotes = remotes_of([block.pk for block in blocks])
    names = _names({one for versions in remotes.values() for one in versions})
    found = {}
    for block in blocks:
        needed = remotes.get(block.pk, frozenset())
        if there and not any(place.takes(needed) for place in there):
            absent = needed - frozenset().union(*(place.lobby for place in there))
            missing = _missing(sorted(names[one] for one in absent or needed), absent)
            found[block.pk] = Held("remote", missing)
        elif block.due > now:
            wait = math.ceil((block.due - now).total_seconds())
            if block.attempt == 0:
                found[block.pk] = Held("announced", codes.AnnouncedIn(wait))
            else:
                found[block.pk] = Held("rest", codes.RetriesIn(wait))
    return found


def _names(versions: Collection[int]) -> dict[int, str]:
    found = Bot.objects.filter(versions__in=versions)
    return dict(found.values_list("versions", "slug")) if versions else {}


def _missing(slugs: Sequence[str], absent: Collection[int]) -> Message:
    bots = tuple(slugs)
    return codes.WaitsForConnection(bots) if absent else codes.OnDifferentHosts(bots)


def _limited(queued: list[Queued], turns: Turns) -> list[Queued]:
    """Apply the limit of games per minute to the expected starts."""
    limit = settings.DAMRAK_GAMES_PER_MINUTE
    if limit is None or turns.games is None:
        return queued
    left, found = turns.games, []
    for one in queued:
        if one.position is None or one.starts_in is None or one.block.host_id is not None:
            found.append(one)
            continue
        wait = max(0.0, -left * 60 / limit)
        left -= one.games
        if wait > one.starts_in:
            message = codes.GamesPerMinute(limit)
            one = replace(one, starts_in=wait, reason="limit", message=message)
        found.append(one)
    return found
