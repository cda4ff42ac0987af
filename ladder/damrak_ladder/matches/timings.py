"""Where the time of each decision of a match went, in few bytes and back."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Final

import zstandard

from damrak_ladder.matches.models import MatchTimings

_LEVEL: Final = 6


@dataclass(frozen=True, slots=True)
class Timings:
    """Entry i of each column is about the i-th decision; durations are in microseconds.

    `total_us` is from the question to the answer, `think_us` what the bot says of that itself,
    `queue_us` the referee's own share before and after.
    """

    seats: tuple[int, ...] = ()
    total_us: tuple[int, ...] = ()
    think_us: tuple[int, ...] = ()
    queue_us: tuple[int, ...] = ()

    def of_seat(self, seat: int) -> Timings:
        """Those of one seat."""
        mine = [i for i, whose in enumerate(self.seats) if whose == seat]
        return Timings(
            *(tuple([getattr(self, column.name)[i] for i in mine]) for column in fields(self))
        )


def pack(timings: Timings) -> bytes:
    """The timings as they are stored."""
    columns = {column.name: getattr(timings, column.name) for column in fields(Timings)}
    text = json.dumps(columns, separators=(",", ":"))
    return zstandard.ZstdCompressor(level=_LEVEL).compress(text.encode())


def unpack(data: bytes) -> Timings:
    """The timings that were stored."""
    columns = json.loads(zstandard.ZstdDecompressor().decompress(data))
    return Timings(*(tuple(columns[column.name]) for column in fields(Timings)))


def timings_of(match_id: int) -> Timings | None:
    """The timings of a recorded match; None if there are none."""
    row = MatchTimings.objects.filter(match_id=match_id).first()
    return None if row is None else unpack(bytes(row.data))
