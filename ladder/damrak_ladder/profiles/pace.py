"""Thinking times of versions: figures of the decisions in their latest games."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Final

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import MatchTimings
from damrak_ladder.matches.timings import Timings, unpack
from damrak_ladder.profiles.timing import Pace, pace_of
from damrak_ladder.tournaments.visibility import visible, visible_seats

GAMES: Final = 12
"""The maximum number of games in the figures."""

SEATS: Final = 40
"""The number of latest seats that are searched; games that were not recorded have no figures."""


def pace_of_version(version: Version) -> Pace | None:
    """Return the recent pace of a version; None if it has no figures."""
    latest = visible_seats(None).filter(version=version).order_by("-pk")
    seats = dict(latest.values_list("match", "number")[:SEATS])
    rows = visible(MatchTimings, None).filter(match__in=seats).order_by("-match")[:GAMES]
    return pace_of(merged(unpack(bytes(row.data)).of_seat(seats[row.match_id]) for row in rows))


def merged(parts: Iterable[Timings]) -> Timings:
    """Return the decisions of all parts together."""
    every = list(parts)
    columns = [
        tuple(value for part in every for value in getattr(part, column.name))
        for column in fields(Timings)
    ]
    return Timings(*columns)
