"""What is public of a match, and the comparison of its published result with its replay."""

from __future__ import annotations

from dataclasses import dataclass

from damrak_engine.events import Deal
from damrak_engine.replay import Replay
from damrak_ladder.matches.models import BlockState, Match, Seat, SeatResult


@dataclass(frozen=True, slots=True)
class Difference:
    """A value of a seat for which the site and the replay differ."""

    seat: int
    what: str  # "bot", "turn", "place", "points" or "fault"; "seats" if their number differs
    shown: str
    replayed: str


def is_over(match: Match) -> bool:
    """Return whether everything about the match is public.

    This is the case once all matches of its block are recorded.
    """
    return bool(match.replay) and match.block.state == BlockState.RECORDED


def differences(match: Match, replay: Replay) -> list[Difference]:
    """Return the differences between the published result of a match and its replay."""
    shown = _shown(match)
    replayed = _replayed(replay)
    if len(shown) != len(replayed):
        return [Difference(0, "seats", str(len(shown)), str(len(replayed)))]
    return [
        Difference(number, what, one[what], other[what])
        for number, (one, other) in enumerate(zip(shown, replayed, strict=True))
        for what in one
        if one[what] != other[what]
    ]


def _shown(match: Match) -> list[dict[str, str]]:
    seats = match.seats.select_related("version__bot", "result").order_by("number")
    return [_shown_seat(seat) for seat in seats]


def _shown_seat(seat: Seat) -> dict[str, str]:
    result: SeatResult | None = getattr(seat, "result", None)
    return {
        "bot": f"{seat.version.bot.slug} v{seat.version.number}",
        "turn": "" if result is None else str(result.turn),
        "place": "" if result is None else str(result.place),
        "points": "" if result is None else str(result.points),
        "fault": "" if result is None else result.fault,
    }


def _replayed(replay: Replay) -> list[dict[str, str]]:
    deal = replay.events[0]
    assert isinstance(deal, Deal)  # a verified replay begins with it
    count = len(replay.seats)
    return [
        {
            "bot": f"{player.bot} v{player.version}",
            "turn": str((number - deal.first) % count),
            "place": str(came.place),
            "points": str(came.total),
            "fault": came.fault or "",
        }
        for number, (player, came) in enumerate(zip(replay.seats, replay.result.seats, strict=True))
    ]
