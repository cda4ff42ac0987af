"""What attempts leave behind beside results: what seats said, and how long they thought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from damrak_ladder.matches.models import Match, MatchTimings, Seat, SeatLog
from damrak_ladder.matches.timings import Timings, pack

_MOST: Final = (1 << 63) - 1  # what a column holds
_NAME_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class SeatSaid:
    """What is to be known of a seat. It comes from a bot, and may hold anything."""

    name: str = ""
    output: str = ""
    rejections: tuple[str, ...] = ()
    traceback: str = ""
    cpu_us: int = 0
    memory_bytes: int = 0
    ready_us: int = 0


@dataclass(frozen=True, slots=True)
class MatchSaid:
    """What is to be known of a match, by seat."""

    seats: tuple[SeatSaid, ...] = ()
    timings: Timings = field(default_factory=Timings)


def keep_logs(block_id: int, attempt: int, said: Mapping[int, MatchSaid]) -> None:
    """Keep this of the matches with these numbers; a log that is there already remains."""
    logs = []
    seats = Seat.objects.filter(match__block_id=block_id, match__number__in=said)
    for seat, match, number in seats.values_list("pk", "match__number", "number"):
        if number < len(said[match].seats):  # of a void match fewer seats may be known
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
    """Keep where the time went, in place of what an attempt that was withdrawn had left."""
    found = Match.objects.filter(block_id=block_id, number__in=said).order_by("number")
    matches = list(found.values_list("pk", "number"))
    MatchTimings.objects.filter(match__in=[match for match, _ in matches]).delete()
    MatchTimings.objects.bulk_create(
        MatchTimings(match_id=match, data=pack(said[number].timings)) for match, number in matches
    )


def storable(text: str) -> str:
    """The text as any database takes it: PostgreSQL has no place for the character 0."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
