"""The rating ledger of past months: roughly what the fit of each day would have published."""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from damrak_ladder.matches.models import Ladder
from damrak_ladder.population import bulk
from damrak_ladder.population.field import Field, Real, Whole
from damrak_ladder.population.season import Season
from damrak_ladder.standings.fit.daily_order import Day, packed
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Fit, Line, Order, Progress

_BAND: Final = 12
_NORMAL: Final = 1.96


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """Lines of the ledger for tables of one size."""

    size: int
    line: Whole  # keys
    version: Whole  # by index in the field
    when: Whole  # day numbers
    elo: Whole
    rank: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """A season of `days` days, each of which ended with a fit."""

    season: Season
    field: Field
    versions: Whole  # keys
    start: datetime
    days: int
    chance: np.random.Generator

    def write(self, ladder: Ladder, place: int) -> None:
        """Write the fits, the lines and the progress of the ladder."""
        here = self.season.ladder == place
        seats, players = self.season.seats[here], self.season.players[here]
        day = np.minimum((self.season.time[here] * self.days).astype(np.int64), self.days - 1)
        serial = 1 + np.flatnonzero(here)
        written = []
        for size in (ALL, *sorted(set(seats.tolist()))):
            which = seats == size if size else np.ones(len(seats), dtype=bool)
            written.append(self._lines(ladder, size, day[which], seats[which], players[which]))
        lines = np.sum([np.bincount(one.when, minlength=self.days) for one in written], axis=0)
        seen = np.searchsorted(day, np.arange(self.days), side="right")
        games = np.concatenate([[0], np.cumsum(seats)])
        debuts = np.sort(np.unique(players[players >= 0], return_index=True)[1])
        begins = np.concatenate([[0], np.cumsum((players >= 0).sum(axis=1))])
        Fit.objects.bulk_create(
            Fit(
                ladder=ladder,
                number=number + 1,
                at=self._at(number),
                blocks=count,
                games=int(games[count]),
                versions=int(np.searchsorted(debuts, begins[count])),
                last_block=int(serial[count - 1]) if count else 0,
                serial=int(serial[count - 1]) if count else 0,
                withdrawn=0,
                digest=hashlib.sha256(f"{ladder.slug} {number}".encode()).hexdigest(),
                anchors={},
                middle=1100.0,
                turns={},
                effects={},
                seconds=1.0,
                lines=int(lines[number]),
            )
            for number, count in enumerate(seen.tolist())
        )
        for one in written:
            self._orders(ladder, one)
        Progress.objects.create(
            ladder=ladder, serial=int(serial[-1]), blocks=len(serial), fit=self.days
        )

    def _at(self, day: int) -> datetime:
        return self.start + timedelta(days=day + 1)

    def _lines(
        self, ladder: Ladder, size: int, day: Whole, seats: Whole, players: Whole
    ) -> _Written:
        """Return a line for each version on each day on which it played."""
        rows, columns = np.nonzero(players >= 0)
        version, when = players[rows, columns], day[rows]
        count = len(self.field.version_bot)
        keys, place = np.unique(version * self.days + when, return_inverse=True)
        blocks = np.bincount(place)
        games = np.bincount(place, weights=seats[rows]).astype(np.int64)
        version, when = keys // self.days, keys % self.days
        blocks, games = _so_far(version, blocks), _so_far(version, games)
        error = 260 / np.sqrt(blocks + 0.5) + 4
        astray = self.chance.normal(0, 0.6, len(keys)) * error
        elo = np.rint(self.field.version_elo[version] + astray).astype(np.int64)
        reach = np.rint(_NORMAL * error).astype(np.int64)
        rank = self._ranks(version, when, elo, count)
        known = bulk.moments((when + 1) * 86400.0, self.start)
        order = np.lexsort((version, when))
        begin = bulk.next_key(Line)
        columns_ = {
            "version_id": self.versions[version],
            "fit": when + 1,
            "at": known,
            "elo": elo,
            "low": elo - reach,
            "high": elo + reach,
            "rank": rank,
            "rank_low": np.maximum(1, rank - reach * self.field.bots // 700),
            "rank_high": np.minimum(self.field.bots, rank + reach * self.field.bots // 700),
            "band": 1 + rank // _BAND,
            "first": np.where(rank == 1, 0.4, 0.0),
            "blocks": blocks,
            "games": games,
        }
        bulk.insert(
            Line,
            len(keys),
            id=begin + np.arange(len(keys)),
            ladder_id=ladder.pk,
            seats=size,
            **{name: values[order] for name, values in columns_.items()},
        )
        place = np.empty(len(keys), dtype=np.int64)
        place[order] = np.arange(len(keys))
        return _Written(size, begin + place, version, when, elo, rank)

    def _orders(self, ladder: Ladder, one: _Written) -> None:
        """Write the table at the end of each day except the last, on which a real fit follows."""
        fits = dict(Fit.objects.filter(ladder=ladder).values_list("number", "pk"))
        held = np.full(len(self.field.version_bot), -1)
        by_day = np.argsort(one.when, kind="stable")
        ends = np.searchsorted(one.when[by_day], np.arange(self.days + 1))
        for day in range(self.days - 1):
            these = by_day[ends[day] : ends[day + 1]]
            held[one.version[these]] = these
            there = held[held >= 0]
            elo, rank, keys = one.elo[there], one.rank[there], self.versions[one.version[there]]
            best = np.lexsort((keys, rank, 1 + rank // _BAND, -elo))
            columns = (one.line[there][best], keys[best], elo[best])
            found = Day(len(there), *(array("q", values.tobytes()) for values in columns))
            Order.objects.create(
                fit_id=fits[day + 1], seats=one.size, listed=found.listed, rows=packed(found)
            )

    def _ranks(self, version: Whole, when: Whole, elo: Whole, count: int) -> Whole:
        """Return the rank of each line among the bots known on its day."""
        rank = np.zeros(len(version), dtype=np.int64)
        latest: Real = np.full(self.field.bots, -np.inf)
        order = np.argsort(when, kind="stable")
        ends = np.searchsorted(when[order], np.arange(self.days + 1))
        for day in range(self.days):
            these = order[ends[day] : ends[day + 1]]
            latest[self.field.version_bot[version[these]]] = elo[these]
            ranked = np.argsort(np.argsort(-latest, kind="stable"), kind="stable")
            rank[these] = 1 + ranked[self.field.version_bot[version[these]]]
        return rank


def _so_far(version: Whole, values: Whole) -> Whole:
    """Return running totals over the days of each version; rows are grouped by version."""
    total = np.cumsum(values)
    begins = np.concatenate([[True], version[1:] != version[:-1]])
    before = np.where(begins, total - values, 0)
    return total - np.maximum.accumulate(before)
