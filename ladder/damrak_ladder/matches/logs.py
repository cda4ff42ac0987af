"""Logs and timings of attempts: the output of seats, and their thinking times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from damrak_ladder.matches.models import Match, MatchTimings, Seat, SeatLog
from damrak_ladder.matches.timings import Timings, pack

_MOST: Final = (1 << 63) - 1  # the largest value of the column
_NAME_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class SeatSaid:
    """The output and resource use of a seat. It comes from a bot, so it is untrusted."""

    name: str = ""
    output: str = ""
    rejections: tuple[str, ...] = ()
    traceback: str = ""
    cpu_us: int = 0
    memory_bytes: int = 0
    ready_us: int = 0


@dataclass(frozen=True, slots=True)
class MatchSaid:
    """The output and timings of a match, by seat."""

    seats: tuple[SeatSaid, ...] = ()
    timings: Timings = field(default_factory=Timings)


def keep_logs(block_id: int, attempt: int, said: Mapping[int, MatchSaid]) -> None:
    """Store the logs of the matches with these numbers; existing logs are kept."""
    logs = []
    seats = Seat.objects.filter(match__block_id=block_id, match__number__in=said)
    for seat, match, number in seats.values_list("pk", "match__number", "number"):
        if number < len(said[match].seats):  # a void match may have fewer seats
            words = said[match].seats[number]
            logs.append(
                SeatLog(
                    seat_id=seat,
                    attempt=attempt,
                    name=storable(words.name)[:_NAME_LENGTH],
                    output=storable(words.output),
                    rejections=[storable(line) for line in words.rejections],
                    traceback=storable(words.traceback),
                    cpu_us=min(words.cpu_us, _MOST),
                    memory_bytes=min(words.memory_bytes, _MOST),
                    ready_us=min(words.ready_us, _MOST),
                )
            )
    SeatLog.objects.bulk_create(logs, ignore_conflicts=True)


def keep_timings(block_id: int, said: Mapping[int, MatchSaid]) -> None:
    """Store the timings; they replace those of an attempt that was withdrawn."""
    found = Match.objects.filter(block_id=block_id, number__in=said).order_by("number")
    matches = list(found.values_list("pk", "number"))
    MatchTimings.objects.filter(match__in=[match for match, _ in matches]).delete()
    MatchTimings.objects.bulk_create(
        MatchTimings(match_id=match, data=pack(said[number].timings)) for match, number in matches
    )


def storable(text: str) -> str:
    """Return the text without NUL characters, which PostgreSQL cannot store."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
