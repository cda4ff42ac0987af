"""Blocks as shown in lists: who won how often, and links to each game.

A list consists of plain values instead of model instances, because a page has up to 150 games with
their players.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F, QuerySet

from damrak_ladder.matches.models import Block, BlockState, Ladder, Match, Purpose, Seat
from damrak_ladder.message_codes.message import Message
from damrak_ladder.tournaments.visibility import passed, visible_blocks, visible_seats
from damrak_ladder.web.site.pagination import Page, page_of
from damrak_ladder.web.site.players import BotName, Player

SIZE: Final = 20


@dataclass(frozen=True, slots=True)
class Side:
    """The result of one version in a block."""

    version: Player
    wins: float  # a shared first place counts as a half, third or quarter
    points: int
    faults: int
    is_best: bool


@dataclass(frozen=True, slots=True)
class Game:
    """A match of a block."""

    pk: int
    number: int


@dataclass(frozen=True, slots=True)
class BlockListed:
    """A block with its result, as a row of a list."""

    pk: int
    purpose: str
    ladder: str  # its name; empty if the block belongs to none
    finished: datetime | None  # when its last game was recorded
    attempt: int
    trouble: Message | None
    matches: Sequence[Game]
    sides: Sequence[Side]


@dataclass(frozen=True, slots=True)
class BlockShown:
    """A block in full: its matches with their seats, and its result."""

    block: Block
    matches: Sequence[Match]
    sides: Sequence[Side]


@dataclass(frozen=True, slots=True)
class _Sat:
    """A seat of a match of a block."""

    game: Game
    player: Player
    place: int | None  # None before the block is recorded
    points: int
    fault: str


def latest(limit: int = SIZE) -> list[BlockListed]:
    """Return the newest blocks of all ladders."""
    blocks = visible_blocks(None).filter(state=BlockState.RECORDED, purpose=Purpose.LADDER)
    return listed(blocks.order_by("-pk")[:limit])


def of_ladder(ladder: Ladder, before: int, size: int = SIZE) -> Page[BlockListed]:
    """Return blocks of a ladder, newest first."""
    blocks = visible_blocks(None).filter(ladder=ladder, state=BlockState.RECORDED, pk__lt=before)
    return page_of(listed(blocks.order_by("-pk")[: size + 1]), size, _place)


def of_versions(versions: Iterable[int], before: int, size: int = SIZE) -> Page[BlockListed]:
    """Return blocks that any of these versions played, newest first."""
    wanted = list(versions)
    seats = visible_seats(None).filter(
        version__in=wanted,
        match__number=0,  # each player of a block sits in each of its matches
        match__block__state=BlockState.RECORDED,
        match__block__lt=before,
    )
    # With many versions, each has played few blocks. Adding 0 stops PostgreSQL from scanning all
    # bots' blocks in order; it fetches the seats of these versions and sorts them instead.
    block = F("match__block") if len(wanted) == 1 else F("match__block") + 0
    rows = seats.annotate(at=block).order_by("-at").values_list("match__block", flat=True)
    keys = list(rows[: size + 1])
    return page_of(listed(visible_blocks(None).filter(pk__in=keys).order_by("-pk")), size, _place)


def listed(blocks: QuerySet[Block]) -> list[BlockListed]:
    """Return these blocks as rows of a list, in two queries."""
    columns = ("pk", "purpose", "ladder__name", "finished", "attempt", "trouble")
    rows = list(blocks.values_list(*columns))
    sat = _sat([row[0] for row in rows])
    return [
        BlockListed(
            pk=pk,
            purpose=purpose,
            ladder=ladder or "",
            finished=finished,
            attempt=attempt,
            trouble=trouble,
            matches=list(dict.fromkeys(seat.game for seat in sat[pk])),
            sides=_sides(sat[pk]),
        )
        for pk, purpose, ladder, finished, attempt, trouble in rows
    ]


def shown(blocks: QuerySet[Block]) -> list[BlockShown]:
    """Return these blocks with their matches, seats, results, versions and bots, in six queries."""
    full = blocks.select_related("ladder", "host").prefetch_related(
        "matches__seats__result", "matches__seats__version__bot"
    )
    return [block_shown(block) for block in full]


def _sat(blocks: Sequence[int]) -> dict[int, list[_Sat]]:
    """Return the seats of each of these blocks, match by match."""
    columns = ("match__block", "match", "match__number", "result__place", "result__points")
    who = ("result__fault", "version", "version__number", "version__bot__slug")
    # The blocks have passed the gate already.
    rows = passed(Seat).filter(match__block__in=blocks).order_by("match__number", "number")
    found: dict[int, list[_Sat]] = {block: [] for block in blocks}
    players: dict[int, Player] = {}
    for block, match, number, place, points, fault, version, nth, slug, name in rows.values_list(
        *columns, *who, "version__bot__name"
    ):
        player = players.get(version)
        if player is None:
            player = players[version] = Player(version, nth, BotName(slug, name))
        sat = _Sat(Game(match, number), player, place, points or 0, fault or "")
        found[block].append(sat)
    return found


def block_shown(block: Block) -> BlockShown:
    """Return a block with its result; what `shown` prefetches should be there."""
    matches = sorted(block.matches.all(), key=lambda match: match.number)
    sat = []
    for match in matches:
        for seat in match.seats.all():
            bot = seat.version.bot
            player = Player(seat.version_id, seat.version.number, BotName(bot.slug, bot.name))
            came = (
                (seat.result.place, seat.result.points, seat.result.fault)
                if hasattr(seat, "result")
                else (None, 0, "")
            )
            sat.append(_Sat(Game(match.pk, match.number), player, *came))
    return BlockShown(block=block, matches=matches, sides=_sides(sat))


def _sides(sat: Sequence[_Sat]) -> list[Side]:
    """Return the result of each player, the best first."""
    firsts: dict[int, int] = {}
    for seat in sat:
        firsts[seat.game.pk] = firsts.get(seat.game.pk, 0) + (seat.place == 1)
    players: dict[int, Player] = {}
    wins: dict[int, float] = {}
    points: dict[int, int] = {}
    faults: dict[int, int] = {}
    for seat in sat:
        key = seat.player.pk
        players[key] = seat.player
        if seat.place is None:
            continue
        wins[key] = wins.get(key, 0) + (seat.place == 1) / max(firsts[seat.game.pk], 1)
        points[key] = points.get(key, 0) + seat.points
        faults[key] = faults.get(key, 0) + bool(seat.fault)
    best = max(wins.values(), default=0)
    sides = [
        Side(
            version=player,
            wins=wins.get(key, 0),
            points=points.get(key, 0),
            faults=faults.get(key, 0),
            is_best=bool(wins) and wins.get(key, 0) == best,
        )
        for key, player in players.items()
    ]
    sides.sort(key=lambda side: (-side.wins, -side.points, side.version.bot.slug))
    return sides


def _place(row: BlockListed) -> int:
    return row.pk
