"""Rows of matches."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from django.db.models import Q

from damrak_ladder.matches.models import Block, Match, Seat
from damrak_ladder.open_data.days import public_blocks, span

BLOCKS_AT_ONCE: Final = 200


def matches_of(day: date) -> Iterator[Match]:
    """Yield the public matches of a day with their seats, in the order of their blocks' end."""
    start, end = span(day)
    found = public_blocks().filter(finished__gte=start, finished__lt=end)
    full = (
        found.order_by("finished", "pk")
        .select_related("ladder")
        .prefetch_related("matches__seats__result", "matches__seats__version__bot__owner")
    )
    last: Block | None = None
    while True:
        rest = full if last is None else full.filter(_after(last))
        blocks = list(rest[:BLOCKS_AT_ONCE])
        for block in blocks:
            for match in sorted(block.matches.all(), key=lambda match: match.number):
                match.block = block
                yield match
        if len(blocks) < BLOCKS_AT_ONCE:
            return
        last = blocks[-1]


def match_row(match: Match) -> dict[str, Any]:
    """Return the row of a match."""
    block = match.block
    return {
        "id": match.pk,
        "block": block.pk,
        "number": match.number,
        "ladder": None if block.ladder is None else block.ladder.slug,
        "purpose": block.purpose,
        "board": block.board,
        "options": block.options,
        "control": block.control,
        "is_mirrored": block.is_mirrored,
        "finished": block.finished,
        "replay": match.replay,
        "seats": [_seat(seat) for seat in seats_of(match)],
    }


def seats_of(match: Match) -> list[Seat]:
    """Return the seats of a match in their order."""
    return sorted(match.seats.all(), key=lambda seat: seat.number)


def _seat(seat: Seat) -> dict[str, Any]:
    version, result = seat.version, seat.result
    return {
        "seat": seat.number,
        "bot": version.bot.slug,
        "version": version.number,
        "version_id": version.pk,
        "owner": version.bot.owner.username,
        "kind": version.kind,
        "turn": result.turn,
        "place": result.place,
        "points": result.points,
        "fault": result.fault,
    }


def _after(last: Block) -> Q:
    return Q(finished__gt=last.finished) | Q(finished=last.finished, pk__gt=last.pk)
