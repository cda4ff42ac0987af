"""Reading and verifying a replay, in a process that may run without Django."""

from __future__ import annotations

from dataclasses import dataclass

from damrak_engine.errors import ReplayError
from damrak_engine.events import Deal
from damrak_engine.replay import parse_replay
from damrak_engine.verify import verify


@dataclass(frozen=True, slots=True)
class SeatSaid:
    """The content of a replay about one seat."""

    bot: str
    version: str
    turn: int
    place: int
    points: int
    fault: str


@dataclass(frozen=True, slots=True)
class Said:
    """The content of a replay whose events were all reproduced from its seed."""

    match: str | None
    block: str | None
    hash: str
    signature: str | None
    seats: tuple[SeatSaid, ...]


def read(data: bytes) -> Said | str:
    """Return the content of this replay, or the reason why it is invalid."""
    try:
        header = verify(data)
    except ReplayError as problem:
        return str(problem)
    replay = parse_replay(data)
    deal = replay.events[0]
    assert isinstance(deal, Deal)  # every verified replay begins with it
    count = len(replay.seats)
    return Said(
        match=header.match,
        block=header.block,
        hash=header.hash,
        signature=header.signature,
        seats=tuple(
            SeatSaid(
                bot=player.bot,
                version=player.version,
                turn=(seat - deal.first) % count,
                place=came.place,
                points=came.total,
                fault=came.fault or "",
            )
            for seat, (player, came) in enumerate(
                zip(replay.seats, replay.result.seats, strict=True)
            )
        ),
    )
