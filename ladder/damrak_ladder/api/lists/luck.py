"""The result of a mirrored block without luck, as the API shows it."""

from __future__ import annotations

from collections.abc import Sequence

from ninja import Schema

from damrak_ladder.matches.models import Block, Match
from damrak_ladder.profiles.mirrored_luck import owns, seat_rows


class SeatGame(Schema):
    """A game from a seat; `beyond` is the difference of its points to the value of the seat."""

    match: int
    version_id: int
    points: int
    beyond: float


class SeatValue(Schema):
    """A seat with its cards in a round of rotations: the mean points of all bots in it."""

    round: int
    seat: int
    value: float
    games: list[SeatGame]


class OwnResult(Schema):
    """The mean points per game of a version beyond the value of its seats."""

    bot: str
    version: int
    version_id: int
    games: int
    beyond: float


class MirroredLuck(Schema):
    """The result of a mirrored block without luck: all bots had the same cards in a seat."""

    seats: list[SeatValue]
    own: list[OwnResult]


def luck_of(block: Block, matches: Sequence[Match]) -> MirroredLuck | None:
    """Return the values of the seats; None if the cards differ, or without a result."""
    if not block.is_mirrored or len(matches) < 2:
        return None
    rows = seat_rows(matches, len(matches[0].seats.all()))
    if not rows:
        return None
    return MirroredLuck(
        seats=[
            SeatValue(
                round=row.round,
                seat=row.number,
                value=row.worth,
                games=[
                    SeatGame(
                        match=cell.seat.match_id,
                        version_id=cell.seat.version_id,
                        points=cell.seat.result.points,
                        beyond=cell.beyond,
                    )
                    for cell in row.cells
                ],
            )
            for row in rows
        ],
        own=[
            OwnResult(
                bot=one.version.bot.slug,
                version=one.version.number,
                version_id=one.version.pk,
                games=one.games,
                beyond=one.beyond,
            )
            for one in owns(rows)
        ],
    )
