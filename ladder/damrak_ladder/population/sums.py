"""The tallies and meetings of the season: the sums of standings.counts.tallies, in bulk."""

from __future__ import annotations

from typing import Final

import numpy as np

from damrak_ladder.matches.models import Ladder
from damrak_ladder.population import bulk
from damrak_ladder.population.field import Whole
from damrak_ladder.population.outcomes import Outcomes
from damrak_ladder.population.season import Season
from damrak_ladder.standings.counts.tallies import MET, PLACES, TALLIED
from damrak_ladder.standings.models import Meeting, Tally

_MOST_VERSIONS: Final = 1 << 28


class Sums:
    """The running sums of tallies and meetings."""

    def __init__(self, season: Season) -> None:
        self._season = season
        self._tallies: list[Whole] = []
        self._meetings: list[Whole] = []

    def add(self, one: Outcomes) -> None:
        """Add these blocks at once, to keep memory use low."""
        if not len(one.blocks):
            return
        seats = one.seats
        ladder = self._season.ladder[one.blocks]
        shape = one.turns.shape
        better = one.places[:, :, :, None] < one.places[:, :, None, :]
        same = one.places[:, :, :, None] == one.places[:, :, None, :]
        halves = 2 * better.sum(axis=3) + same.sum(axis=3) - 1  # minus the tie with itself
        key = (ladder[:, None] * _MOST_VERSIONS + one.players) * 64 + seats * 8
        rows = [
            (key[:, None, :] + one.turns).reshape(-1),
            np.ones(one.turns.size, dtype=np.int64),
            np.zeros(one.turns.size, dtype=np.int64),
            halves.reshape(-1),
            *((one.places == place).reshape(-1) for place in range(1, 5)),
            one.points.reshape(-1),
            (one.faults > 0).reshape(-1),
        ]
        blocks = np.zeros((len(TALLIED) + 1, len(one.blocks) * seats), dtype=np.int64)
        blocks[0], blocks[1 + TALLIED.index("blocks")] = key.reshape(-1), 1
        assert ("games", "blocks", "halves", *PLACES, "points", "faults") == TALLIED
        assert shape[1] == shape[2] == seats
        self._tallies.append(_summed(np.concatenate([np.array(rows), blocks], axis=1)))
        own, other = np.nonzero(~np.eye(seats, dtype=bool))
        wins, ties = better.sum(axis=1)[:, own, other], same.sum(axis=1)[:, own, other]
        half, most = 2 * wins + ties, 2 * seats
        pair = ladder[:, None] * _MOST_VERSIONS + one.players[:, own]
        pair = pair * _MOST_VERSIONS + one.players[:, other]
        ones = np.ones_like(wins)
        found = [pair, ones, seats * ones, wins, ties, half**2, half * most, most**2 * ones]
        self._meetings.append(_summed(np.array([values.reshape(-1) for values in found])))

    def write(self, ladders: tuple[Ladder, ...], versions: Whole) -> None:
        """Write all sums as rows."""
        keys = np.array([ladder.pk for ladder in ladders])
        tallies = _summed(np.concatenate(self._tallies, axis=1))
        rest, where = tallies[0] // 64, tallies[0] % 64
        bulk.insert(
            Tally,
            tallies.shape[1],
            ladder_id=keys[rest // _MOST_VERSIONS],
            version_id=versions[rest % _MOST_VERSIONS],
            seats=where // 8,
            turn=where % 8,
            **dict(zip(TALLIED, tallies[1:], strict=True)),
        )
        meetings = _summed(np.concatenate(self._meetings, axis=1))
        rest = meetings[0] // _MOST_VERSIONS
        bulk.insert(
            Meeting,
            meetings.shape[1],
            ladder_id=keys[rest // _MOST_VERSIONS],
            version_id=versions[rest % _MOST_VERSIONS],
            opponent_id=versions[meetings[0] % _MOST_VERSIONS],
            **dict(zip(MET, meetings[1:], strict=True)),
        )


def _summed(rows: Whole) -> Whole:
    """Merge the columns that have the same key (the first row), adding up the other rows."""
    keys, place = np.unique(rows[0], return_inverse=True)
    sums = [np.bincount(place, weights=values, minlength=len(keys)) for values in rows[1:]]
    return np.array([keys, *(np.rint(values).astype(np.int64) for values in sums)])
