"""Blocks as lists of them show them: who won how often, and where to watch each game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Block, BlockState, Ladder, Match, Purpose, Seat
from damrak_ladder.web.pages import Page, page_of

SIZE: Final = 20


@dataclass(frozen=True, slots=True)
class Side:
    """How one version came out of a block."""

    version: Version
    wins: float  # a shared first place counts by halves, thirds or quarters
    points: int
    faults: int
    is_best: bool


@dataclass(frozen=True, slots=True)
class BlockShown:
    """A block, and what came of it."""

    block: Block
    matches: Sequence[Match]
    sides: Sequence[Side]

    @property
    def finished(self) -> datetime | None:
        """When the last of its games was recorded."""
        return self.block.finished


def latest(limit: int = SIZE) -> list[BlockShown]:
    """The newest blocks of all ladders."""
    blocks = Block.objects.filter(state=BlockState.RECORDED, purpose=Purpose.LADDER)
    return shown(blocks.order_by("-pk")[:limit])


def running(limit: int) -> list[BlockShown]:
    """Blocks of ladders that are being played now, those last begun first."""
    found = Block.objects.filter(state=BlockState.RUNNING, purpose=Purpose.LADDER)
    return shown(found.order_by("-lease_until", "-pk")[:limit])


def of_ladder(ladder: Ladder, before: int, size: int = SIZE) -> Page[BlockShown]:
    """Blocks of a ladder, newest first."""
    blocks = Block.objects.filter(ladder=ladder, state=BlockState.RECORDED, pk__lt=before)
    return page_of(shown(blocks.order_by("-pk")[: size + 1]), size, _place)


def of_versions(versions: Iterable[int], before: int, size: int = SIZE) -> Page[BlockShown]:
    """Blocks that any of these versions played, newest first."""
    seats = Seat.objects.filter(
        version__in=list(versions),
        match__number=0,  # whoever plays a block sits in each of its matches
        match__block__state=BlockState.RECORDED,
        match__block__lt=before,
    )
    keys = list(seats.order_by("-match__block").values_list("match__block", flat=True)[: size + 1])
    found = sorted(shown(Block.objects.filter(pk__in=keys)), key=_place, reverse=True)
    return page_of(found, size, _place)


def shown(blocks: QuerySet[Block]) -> list[BlockShown]:
    """These blocks with their matches, seats, results, versions and bots: six queries."""
    full = blocks.select_related("ladder", "host").prefetch_related(
        "matches__seats__result", "matches__seats__version__bot"
    )
    return [_shown(block) for block in full]


def _shown(block: Block) -> BlockShown:
    matches = sorted(block.matches.all(), key=lambda match: match.number)
    versions: dict[int, Version] = {}
    wins: dict[int, float] = {}
    points: dict[int, int] = {}
    faults: dict[int, int] = {}
    for match in matches:
        seats = list(match.seats.all())
        results = [seat.result for seat in seats if hasattr(seat, "result")]
        firsts = sum(result.place == 1 for result in results)
        for seat in seats:
            key = seat.version_id
            versions[key] = seat.version
            if not hasattr(seat, "result"):
                continue
            wins[key] = wins.get(key, 0) + (seat.result.place == 1) / max(firsts, 1)
            points[key] = points.get(key, 0) + seat.result.points
            faults[key] = faults.get(key, 0) + bool(seat.result.fault)
    best = max(wins.values(), default=0)
    sides = [
        Side(
            version=version,
            wins=wins.get(key, 0),
            points=points.get(key, 0),
            faults=faults.get(key, 0),
            is_best=bool(wins) and wins.get(key, 0) == best,
        )
        for key, version in versions.items()
    ]
    sides.sort(key=lambda side: (-side.wins, -side.points, side.version.bot.slug))
    return BlockShown(block=block, matches=matches, sides=sides)


def _place(row: BlockShown) -> int:
    return row.block.pk
