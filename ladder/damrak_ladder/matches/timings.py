"""The timings of each decision of a match, and their compressed form."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Final

import zstandard

from damrak_ladder.matches.models import MatchTimings

_LEVEL: Final = 6


@dataclass(frozen=True, slots=True)
class Timings:
    """The timings of decisions: entry i of each column is about the i-th decision.

    `total_us` is the time from the question to the answer, `think_us` the part reported by the bot
    itself, `queue_us` the referee's own share before and after; all in microseconds.
    """

    seats: tuple[int, ...] = ()
    total_us: tuple[int, ...] = ()
    think_us: tuple[int, ...] = ()
    queue_us: tuple[int, ...] = ()

    def of_seat(self, seat: int) -> Timings:
        """Return the timings of one seat."""
        mine = [i for i, whose in enumerate(self.seats) if whose == seat]
        return Timings(
            *(tuple([getattr(self, column.name)[i] for i in mine]) for column in fields(self))
        )


def pack(timings: Timings) -> bytes:
    """Compress timings for storage."""
    columns = {column.name: getattr(timings, column.name) for column in fields(Timings)}
    text = json.dumps(columns, separators=(",", ":"))
    return zstandard.ZstdCompressor(level=_LEVEL).compress(text.encode())


def unpack(data: bytes) -> Timings:
    """Restore timings from their stored form."""
    columns = json.loads(zstandard.ZstdDecompressor().decompress(data))
    return Timings(*(tuple(columns[column.name]) for column in fields(Timings)))


def timings_of(match_id: int) -> Timings | None:
    """Return the timings of a recorded match, or None."""
    row = MatchTimings.objects.filter(match_id=match_id).first()
    return None if row is None else unpack(bytes(row.data))
