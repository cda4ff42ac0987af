"""What the queue says: what is played and what waits, where it stands, and when it starts.

The waiting blocks are played through as they will be handed out, so that the page tells what will
happen if nothing else comes.
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
from damrak_ladder.matches.flows import weights_of
from damrak_ladder.matches.models import Attempt, Block, BlockState, Seat
from damrak_ladder.matchmaking import Outlook, Waiting, outlook
from damrak_ladder.pipeline.durations import seconds_per_game
from damrak_ladder.pipeline.lines import remotes_of
from damrak_ladder.pipeline.places import Place, places
from damrak_ladder.pipeline.turns import Turns, turns_now

MOST: Final = 200
"""So many of each are told of; how many there are in all is told as well."""


@dataclass(frozen=True, slots=True)
class Running:
    """A block that is played."""

    block: Block
    versions: tuple[Version, ...]
    games: int
    seconds: float  # since it began
    ends_in: float  # seconds, as far as one can tell


@dataclass(frozen=True, slots=True)
class Queued:
    """A block that waits. `reason` is "next", "machine", "place", "line", "share", "limit",
    "remote" or "rest"; `text` is the same for people."""

    block: Block
    versions: tuple[Version, ...]
    games: int
    position: int | None  # 1 starts next; None: it cannot start yet
    starts_in: float | None  # seconds
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Queue:
    """All that is played or waits, the first `MOST` of each."""

    running: tuple[Running, ...]
    waiting: tuple[Queued, ...]  # in the order in which they will start, those held last
    running_count: int
    waiting_count: int
    hosts: int
    places: int  # blocks that can be played at once
    shares: dict[str, float]  # of the machine, by flow, among those that have something to play


def queue(now: datetime, most: int = MOST) -> Queue:
    """The queue as it is now, the first so many of each list; a few queries, whatever has been
    played.
    """
    there = places(now)
    running = Block.objects.filter(state=BlockState.RUNNING)
    waiting = Block.objects.filter(state=BlockState.WAITING)
    playing = list(_counted(running)[:most])
    in_line = list(_counted(waiting)[:most])
    seconds = seconds_per_game({block.ladder_id for block in [*playing, *in_line]})
    seated = _seated([block.pk for block in [*playing, *in_line]])
    shown = _running(playing, seated, seconds, now)
    # What a silent host leaves behind still runs for a while, and gives nobody its place.
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
    """Where a block stands; None if it does not wait, or too far behind to tell."""
    return next((one for one in queue(now).waiting if one.block.pk == block_id), None)


def held_back(versions: Sequence[Version], now: datetime) -> str | None:
    """Why these versions could not play together now, for people; None if they could."""
    there = places(now)
    if not there:
        return "no worker is running"
    remotes = {version.pk: version.bot.slug for version in versions if version.kind == Kind.REMOTE}
    if any(place.takes(remotes) for place in there):
        return None
    absent = remotes.keys() - frozenset().union(*(place.lobby for place in there))
    return _missing(sorted(remotes[one] for one in absent or remotes), absent)


def _counted(blocks: models.QuerySet[Block]) -> models.QuerySet[Block]:
    # Few ladders and hosts have many blocks, and each is long: read each of them once.
    full = blocks.prefetch_related("ladder", "host")
    return full.defer("options", "control").order_by("pk")


def _seated(blocks: Sequence[int]) -> dict[int, tuple[tuple[Version, ...], int]]:
    """Who plays in each block, and how many games."""
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
        text = f"{host} is about to begin it"
        found[block.pk] = Outlook(str(block.pk), position, start, "next", text)
    rest = [block for block in blocks if block.host_id not in alive]  # soon told to others
    held = _held(rest, there, now)
    waits = [
        Waiting(str(block.pk), block.flow, costs[block.pk], held.get(block.pk, (None, ""))[0])
        for block in rest
    ]
    weights = weights_of({block.flow for block in rest})
    idle = sum(end <= 0 for end in ends)
    for block, one in zip(
        rest, outlook(waits, [e for e in ends if e > 0], idle, turns.shares, weights), strict=True
    ):
        if block.pk in held:
            found[block.pk] = replace(one, text=held[block.pk][1])
        else:
            assert one.position is not None
            found[block.pk] = replace(one, position=one.position + len(told))
    queued = [
        Queued(block, *seated[block.pk], one.position, one.starts_in, one.reason, one.text)
        for block in blocks
        for one in [found[block.pk]]
    ]
    queued.sort(key=lambda one: (one.position is None, one.position or 0, one.block.pk))
    return _limited(queued, turns)


def _held(
    blocks: Sequence[Block], there: Sequence[Place], now: datetime
) -> dict[int, tuple[str, str]]:
    """Which blocks cannot start even if it is their turn: why, in a word and in a sentence."""
    remotes = remotes_of([block.pk for block in blocks])
    names = _names({one for versions in remotes.values() for one in versions})
    found = {}
    for block in blocks:
        needed = remotes.get(block.pk, frozenset())
        if there and not any(place.takes(needed) for place in there):
            absent = needed - frozenset().union(*(place.lobby for place in there))
            found[block.pk] = (
                "remote",
                _missing(sorted(names[one] for one in absent or needed), absent),
            )
        elif block.due > now:
            wait = math.ceil((block.due - now).total_seconds())
            found[block.pk] = "rest", f"is tried again in {wait} s, because it failed"
    return found


def _names(versions: Collection[int]) -> dict[int, str]:
    found = Bot.objects.filter(versions__in=versions)
    return dict(found.values_list("versions", "slug")) if versions else {}


def _missing(slugs: Sequence[str], absent: Collection[int]) -> str:
    listed = " and ".join(slugs)
    if absent:
        return f"waits for {listed} to connect"
    return f"{listed} are connected to different hosts, and so cannot meet"


def _limited(queued: list[Queued], turns: Turns) -> list[Queued]:
    """The same if no more games are begun than may be in a minute."""
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
            text = f"no more than {limit} games are begun in a minute here"
            one = replace(one, starts_in=wait, reason="limit", text=text)
        found.append(one)
    return found
