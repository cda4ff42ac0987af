"""Waiting blocks, in one line per flow."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.models import Attempt, Block, BlockState, Outcome, Purpose, Seat


@dataclass(frozen=True, slots=True)
class InLine:
    """A waiting block, with the attributes that decide when and where it can be played."""

    block: int
    attempt: int  # the latest
    flow: str
    ladder: int | None
    games: int
    remotes: frozenset[int]  # the remote versions of the block
    failed_at: frozenset[int]  # hosts on which an attempt failed


def lines(now: datetime, most: int, lobbies: Collection[int]) -> dict[str, deque[InLine]]:
    """Return for each flow the first due blocks without a host, at most `most` per flow.

    Blocks of remote versions that are in no lobby are skipped; `lobbies` contains the keys of the
    versions that are.
    """
    absent = Seat.objects.filter(
        match__block=OuterRef("pk"), match__number=0, version__kind=Kind.REMOTE
    ).exclude(version__in=lobbies)
    waiting = Block.objects.filter(
        ~Exists(absent), state=BlockState.WAITING, due__lte=now, host=None
    ).exclude(purpose=Purpose.PLAY)  # these are for the relay
    found: dict[str, deque[InLine]] = {}
    for flow in waiting.order_by("flow").values_list("flow", flat=True).distinct():
        rows = list(
            waiting.filter(flow=flow)
            .order_by("pk")
            .annotate(games=Count("matches"))
            .values_list("pk", "attempt", "ladder_id", "games", "tries")[:most]
        )
        remotes = remotes_of([row[0] for row in rows])
        failed = _failed_at([row[0] for row in rows if row[4]])
        found[flow] = deque(
            InLine(
                block=block,
                attempt=attempt,
                flow=flow,
                ladder=ladder,
                games=games,
                remotes=remotes.get(block, frozenset()),
                failed_at=failed.get(block, frozenset()),
            )
            for block, attempt, ladder, games, _ in rows
        )
    return found


def remotes_of(blocks: list[int]) -> dict[int, frozenset[int]]:
    """Return the remote versions of each of these blocks that has any."""
    seats = Seat.objects.filter(
        match__block_id__in=blocks, match__number=0, version__kind=Kind.REMOTE
    )
    found: dict[int, set[int]] = {}
    for block, version in seats.values_list("match__block_id", "version_id"):
        found.setdefault(block, set()).add(version)
    return {block: frozenset(versions) for block, versions in found.items()}


def _failed_at(blocks: list[int]) -> dict[int, frozenset[int]]:
    if not blocks:
        return {}
    attempts = Attempt.objects.filter(
        block_id__in=blocks, host__isnull=False, outcome__in=[Outcome.VOID, Outcome.EXPIRED]
    )
    found: dict[int, set[int]] = {}
    for block, host in attempts.values_list("block_id", "host_id"):
        assert host is not None
        found.setdefault(block, set()).add(host)
    return {block: frozenset(hosts) for block, hosts in found.items()}
