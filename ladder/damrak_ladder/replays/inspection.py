"""Verification of stored replays by random samples."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from django.db.models import Max, Min

from damrak_engine.errors import ReplayError
from damrak_engine.replay import parse_replay
from damrak_engine.verify import verify
from damrak_ladder.matches.models import Match, Seat
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.publication import differences
from damrak_ladder.replays.signatures import platform_key
from damrak_ladder.replays.storage import load


@dataclass(frozen=True, slots=True)
class Finding:
    """A match whose replay is not correct."""

    match: int
    problem: str


def inspect_sample(size: int, chance: Random) -> list[Finding]:
    """Verify up to `size` random replays of recorded matches; return the problems found."""
    recorded = Seat.objects.exclude(match__replay="")
    ends = recorded.aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is None:
        return []
    drawn: dict[int, Match] = {}
    for _ in range(size):
        # The next row from a random key on: counting the rows would take longer every year. Keys
        # of seats are dense; those of matches depend on the time, so old ones would not be drawn.
        place = chance.randint(ends["first"], ends["last"])
        seat = recorded.filter(pk__gte=place).select_related("match").order_by("pk").first()
        if seat is not None:
            drawn[seat.match_id] = seat.match
    found = [inspect(match) for match in drawn.values()]
    return [finding for finding in found if finding is not None]


def inspect(match: Match) -> Finding | None:
    """Return the problem with the replay of a recorded match, or None."""
    key = platform_key()
    try:
        data = load(match.replay)
        header = verify(data, signed=key.has_signed)
    except (ReplayStoreError, ReplayError) as problem:
        return Finding(match.pk, str(problem))
    if (header.match, header.block) != (str(match.pk), str(match.block_id)):
        return Finding(match.pk, f"is of match {header.match} of block {header.block}")
    found = differences(match, parse_replay(data))
    if found:
        one = found[0]
        shown = f"the site shows seat {one.seat} with {one.what} {one.shown!r}"
        return Finding(match.pk, f"{shown}, the replay has {one.replayed!r}")
    return None
