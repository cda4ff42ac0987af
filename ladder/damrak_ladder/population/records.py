"""The season as rows: blocks, attempts, matches, seats, results, faults and compact rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np

from damrak_ladder.matches.models import (
    Attempt,
    Blame,
    Block,
    BlockState,
    Fault,
    Ladder,
    Match,
    Outcome,
    Purpose,
    Seat,
    SeatResult,
)
from damrak_ladder.population import bulk
from damrak_ladder.population.field import Whole
from damrak_ladder.population.outcomes import FAULTS, Outcomes
from damrak_ladder.population.season import Season
from damrak_ladder.standings.models import Counted
from damrak_ladder.standings.packed_blocks import FAULT

DETAILS: Final = {
    "timeout": "thought 2.1 s of the 2 s it had left",
    "crash": "ended with exit code 1",
    "illegal": "chose an action that it had not been offered",
}
_MINUTE: Final = np.timedelta64(60, "s")


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The writer of blocks and everything that belongs to them; keys begin at the given numbers."""

    season: Season
    ladders: tuple[Ladder, ...]
    versions: Whole  # keys, by index in the field
    hosts: Whole
    replays: dict[int, Any]  # hashes by number of seats, as rows of bytes
    start: datetime
    seconds: float  # length of the whole season
    chance: np.random.Generator
    first_block: int
    first_match: int
    first_seat: int
    first_attempt: int

    def write(self, start: int, stop: int, outcomes: list[Outcomes]) -> None:
        """Write the rows of blocks `start` to `stop` of the season."""
        self._blocks(start, stop)
        for one in outcomes:
            if len(one.blocks):
                self._results(one)

    def _blocks(self, start: int, stop: int) -> None:
        season = self.season
        count = stop - start
        finished = bulk.moments(season.time[start:stop] * self.seconds, self.start)
        host = self.hosts[self.chance.integers(0, len(self.hosts), count)]
        seed = self.chance.integers(0, 256, (count, 32), dtype=np.uint8)
        keys = self.first_block + np.arange(start, stop)
        for place, ladder in enumerate(self.ladders):
            here = season.ladder[start:stop] == place
            bulk.insert(
                Block,
                int(here.sum()),
                id=keys[here],
                ladder_id=ladder.pk,
                purpose=Purpose.LADDER.value,
                board="amsterdam",
                options={},
                control={},
                rotations=1,
                is_mirrored=True,
                seed=seed[here],
                flow=f"ladder:{ladder.slug}",
                subject_id=None,
                created=finished[here] - 3 * _MINUTE,
                state=BlockState.RECORDED.value,
                attempt=1,
                tries=1,
                due=finished[here] - 3 * _MINUTE,
                lease_until=None,
                lease_owner="",
                trouble=None,
                finished=finished[here],
                settled=finished[here],
                host_id=host[here],
                sent=finished[here] - 2 * _MINUTE,
            )
        bulk.insert(
            Attempt,
            count,
            id=self.first_attempt + np.arange(start, stop),
            block_id=keys,
            number=1,
            owner="quay",
            host_id=host,
            started=finished - _MINUTE,
            ended=finished,
            outcome=Outcome.RECORDED.value,
            detail=None,
        )

    def _results(self, one: Outcomes) -> None:
        season, seats = self.season, one.seats
        block = np.repeat(self.first_block + one.blocks, seats)
        number = np.tile(np.arange(seats), len(one.blocks))
        match = self.first_match + (season.matches[one.blocks][:, None] + np.arange(seats)).ravel()
        pool = self.replays[seats]
        replay = pool[self.chance.integers(0, len(pool), len(match))]
        bulk.insert(Match, len(match), id=match, block_id=block, number=number, replay=replay)
        # The arrays below have a row for each block, match and player, in this order.
        chair = np.broadcast_to(one.chairs, one.turns.shape).reshape(-1)
        begin = season.chairs[one.blocks][:, None, None]
        begin = begin + (np.arange(seats) * seats)[None, :, None] + one.chairs[None, :, :]
        seat = self.first_seat + begin.reshape(-1)
        of_match = np.repeat(match, seats)
        version = self.versions[one.players]
        whose = np.broadcast_to(version[:, None, :], one.turns.shape).reshape(-1)
        bulk.insert(Seat, len(seat), id=seat, match_id=of_match, number=chair, version_id=whose)
        fault = one.faults.reshape(-1)
        for code, name in enumerate(("", *FAULTS)):
            these = fault == code
            bulk.insert(
                SeatResult,
                int(these.sum()),
                seat_id=seat[these],
                attempt=1,
                turn=one.turns.reshape(-1)[these],
                place=one.places.reshape(-1)[these],
                points=one.points.reshape(-1)[these],
                fault=name,
            )
            if name:
                bulk.insert(
                    Fault,
                    int(these.sum()),
                    attempt_id=self.first_attempt + np.repeat(one.blocks, seats**2)[these],
                    match_id=of_match[these],
                    seat_id=seat[these],
                    version_id=whose[these],
                    owner=Blame.BOT.value,
                    reason=name,
                    detail=DETAILS[name],
                )
        self._counted(one, version)

    def _counted(self, one: Outcomes, version: Whole) -> None:
        """Write the compact rows of these blocks, as standings.packed_blocks.pack would."""
        count, seats = version.shape
        order = np.argsort(version, axis=1)
        who = np.take_along_axis(version, order, axis=1).astype("<u4")

        def ordered(values: Whole) -> Whole:
            return np.take_along_axis(values, order[:, None, :], axis=2)

        came = ordered(one.turns) << 4 | ordered(one.places)
        came |= np.where(ordered(one.faults) > 0, FAULT, 0)
        results = np.concatenate(
            [
                np.full((count, 1), seats, dtype=np.uint8),
                who.view(np.uint8).reshape(count, -1),
                came.astype(np.uint8).reshape(count, -1),
            ],
            axis=1,
        )
        points = ordered(one.points).astype("<i4").reshape(count, -1).view(np.uint8)
        ladder = self.season.ladder[one.blocks]
        for place, found in enumerate(self.ladders):
            here = ladder == place
            bulk.insert(
                Counted,
                int(here.sum()),
                block_id=self.first_block + one.blocks[here],
                ladder_id=found.pk,
                serial=1 + one.blocks[here],  # one sequence for all ladders; gaps do not matter
                results=results[here],
                points=points[here],
            )
