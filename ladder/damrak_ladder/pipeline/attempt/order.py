"""Orders: the description of a block that a referee plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.boards import board_file
from damrak_ladder.matches.booking import match_seed
from damrak_ladder.matches.errors import BadTable
from damrak_ladder.matches.models import Block, Match, Purpose, Seat
from damrak_ladder.matches.time_control import control_of
from damrak_ladder.message_codes import block_codes as codes
from damrak_wire.orders import (
    Archive,
    BlockOrder,
    House,
    MatchOrder,
    Open,
    Place,
    Remote,
    SeatOrder,
)

PEOPLE_WAIT_MS: Final = 30_000
"""How long a game of people outlives its relay, which is started again within seconds."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """An order, and the number within its block of each match."""

    order: BlockOrder
    numbers: Mapping[str, int]

    @property
    def archives(self) -> list[str]:
        """Return the archives that the order needs."""
        seats = [seat for match in self.order.matches for seat in match.seats]
        return sorted({seat.place.sha256 for seat in seats if isinstance(seat.place, Archive)})


def order_of(block: Block, parallel: int) -> Ordered:
    """Return the order for the latest attempt at a block, with up to `parallel` matches at once.

    Raises:
        BadTable, BadLadder: it cannot be played.
        UnknownBoard: its board no longer exists.
    """
    seated = Seat.objects.filter(match__block=block).select_related("match", "version__bot__owner")
    by_match: dict[Match, list[Seat]] = {}
    for seat in seated.order_by("match__number", "number"):
        by_match.setdefault(seat.match, []).append(seat)
    orders = [_match_order(block, match, seats) for match, seats in by_match.items()]
    is_of_people = block.purpose == Purpose.PLAY
    order = BlockOrder(
        block=str(block.pk),
        attempt=block.attempt,
        ladder=block.ladder.slug if block.ladder is not None else "",
        board=board_file(block.board),
        options=block.options,
        control=control_of(block.control),
        matches=tuple(orders),
        parallel=parallel,
        patience_ms=PEOPLE_WAIT_MS if is_of_people else 0,
        low_priority=is_of_people,  # rated games are not to be slowed down by games of people
    )
    return Ordered(order, {str(match.pk): match.number for match in by_match})


def _match_order(block: Block, match: Match, seats: list[Seat]) -> MatchOrder:
    count = len(seats)
    # The same seat begins throughout a rotation, in which every player sits there once.
    first = match.number // count % count if block.options.get("first_player") == "rotate" else None
    return MatchOrder(
        match=str(match.pk),
        seed=match_seed(block, match.number, count),
        first=first,
        seats=tuple(
            SeatOrder(
                bot=seat.version.bot.slug,
                version=str(seat.version.number),
                owner=seat.version.bot.owner.username,
                place=_place(seat.version),
            )
            for seat in seats
        ),
    )


def _place(version: Version) -> Place:
    match version.kind:
        case Kind.HOUSE:
            return House(version.spec)
        case Kind.UPLOADED:
            return Archive(version.content)
        case Kind.REMOTE:
            return Remote(version.bot.slug)
        case Kind.PERSON:
            return Open()
    raise BadTable(codes.TableVersionKind(str(version.kind)))
