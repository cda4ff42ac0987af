"""The numbers that a ladder publishes: a pure function of its blocks.

People read whole Elo, so whole Elo are published, stored and compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from damrak_ladder.ratings import (
    Bands,
    Posterior,
    Ratings,
    bands,
    first_probability,
    posterior,
    rate,
    rate_by_seats,
)
from damrak_ladder.ratings.scale import Integers
from damrak_ladder.standings.fit.anchor_checks import AnchorCheck, anchor_checks
from damrak_ladder.standings.fit.knockout import DRAWS, MOST
from damrak_ladder.standings.fit.snapshot import Snapshot

ALL: Final = 0
"""All table sizes together, used in place of a number of seats."""

TOLD: Final = ("elo", "low", "high", "band", "first")
"""The fields whose changes are written into the ledger."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The published numbers of a version; those about the list are None for unlisted versions."""

    elo: int
    low: int
    high: int
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    band: int | None
    first: float | None
    blocks: int
    games: int


@dataclass(frozen=True, slots=True, eq=False)
class Leaders:
    """Draws of the strengths of the first versions of a list, for forecasts."""

    versions: tuple[int, ...]  # keys, by rank
    strengths: NDArray[np.int16]  # draws x versions, in Elo


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """All published numbers, by version and table size, and the fit behind them."""

    of: Mapping[tuple[int, int], Figure]
    leaders: Mapping[int, Leaders]  # by size of table
    ratings: Ratings
    anchors: tuple[AnchorCheck, ...]


def figures_of(snapshot: Snapshot) -> Figures:
    """Return the numbers that follow from these blocks."""
    count = len(snapshot.versions)
    whole = rate(snapshot.history, count, snapshot.scale)
    sizes = {ALL: whole, **rate_by_seats(snapshot.history, count, snapshot.scale)}
    found: dict[tuple[int, int], Figure] = {}
    leaders = {}
    for seats, ratings in sizes.items():
        played: Integers = np.flatnonzero(ratings.blocks).astype(np.int32)
        among = np.intersect1d(snapshot.listed, played).astype(np.int32)
        field = posterior(ratings, among)
        ranks = bands(field, among)
        found |= _figures(snapshot, seats, field, played, ranks)
        leaders[seats] = _leaders(snapshot, field, ranks.order[:MOST])
    return Figures(found, leaders, whole, anchor_checks(snapshot, whole))


def _leaders(snapshot: Snapshot, field: Posterior, chosen: Integers) -> Leaders:
    limits = np.iinfo(np.int16)
    strengths = np.clip(np.round(field.draw(chosen, DRAWS)), limits.min, limits.max)
    return Leaders(tuple(int(snapshot.versions[at]) for at in chosen), strengths.astype(np.int16))


def _figures(
    snapshot: Snapshot, seats: int, field: Posterior, played: Integers, ranks: Bands
) -> dict[tuple[int, int], Figure]:
    ratings = field.ratings
    chances = first_probability(field, ranks.order)
    chance = {int(at): round(float(one), 2) for at, one in zip(ranks.order, chances, strict=True)}
    place = {int(at): row for row, at in enumerate(ranks.order)}
    result = {}
    for at in played.tolist():
        row = place.get(at)
        result[int(snapshot.versions[at]), seats] = Figure(
            elo=round(float(ratings.elo[at])),
            low=round(float(ratings.low[at])),
            high=round(float(ratings.high[at])),
            rank=None if row is None else row + 1,
            rank_low=None if row is None else int(ranks.best[row]),
            rank_high=None if row is None else int(ranks.worst[row]),
            band=None if row is None else int(ranks.band[row]),
            first=chance.get(at),
            blocks=int(ratings.blocks[at]),
            games=int(ratings.games[at]),
        )
    return result
