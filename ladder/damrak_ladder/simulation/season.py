"""A simulated season of a ladder: arranging, playing and rating blocks in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from scipy.stats import rankdata

from damrak_ladder.ratings import History, Online, Ratings, Scale, rate, strengths
from damrak_ladder.ratings.online import UNKNOWN
from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Booleans, Floats
from damrak_ladder.simulation.pairing import OurPairing, Pairing, Standing, Waits
from damrak_ladder.simulation.world import World

_ROUNDS: Final = 1000  # limit of the rounds of a season
_NEWS: Final = 16  # a round is at most this fraction (1/16) of the blocks played
_GROWTH: Final = 1.4  # growth of the history between two full fits
_EARLY: Final = 8  # marks in the first quarter at which the list is compared with the truth
_LATE: Final = (0.25, 0.3, *(0.35 + 0.025 * step for step in range(13)), 0.7, 0.8, 0.9, 1.0)
"""The later marks, as shares of all blocks.

They are densest where one pairing is expected to reach the final accuracy of another one.
"""


@dataclass(slots=True)
class Season:
    """The results of a season."""

    rounds: list[History] = field(default_factory=list)
    marks: list[tuple[int, float]] = field(default_factory=list)  # blocks, rank correlation
    waits: Waits | None = None  # of our matchmaking

    @property
    def history(self) -> History:
        """All blocks."""
        return joined(self.rounds)


def play_season(
    world: World,
    scale: Scale,
    pairing: Pairing,
    blocks: int,
    seed: int,
    batch: int | None = None,
) -> Season:
    """Play this number of blocks, and compare the list with the truth at each mark.

    `batch` is the number of blocks that are arranged on the same estimates; by default it is a
    sixth of the bots at first, and later a sixteenth of the blocks played.
    """
    bots = len(world)
    rng = np.random.default_rng([seed, 5])
    season = Season()
    is_anchor = np.zeros(bots, dtype=bool)
    is_anchor[list(scale.anchors)] = True
    online = _nobody_known(bots, scale)
    least = max(1, bots // 6, blocks // _ROUNDS)
    marks = _marks(bots, blocks, batch or 1)
    played, fit_at = 0, float(bots)
    history, fitted = History({}), 0
    ratings: Ratings | None = None
    elo: Floats | None = None
    while played < blocks:
        standing = Standing(online.elo, online.error, is_anchor)
        until = min([mark for mark in marks if mark > played], default=blocks)
        # A pairing that does not depend on the standing can arrange all blocks until the next mark.
        step = batch or max(least, played // _NEWS)
        step = step if pairing.looks else blocks
        tables = pairing.tables(standing, min(step, until - played))
        news = world.play(tables, rng)
        if not len(news):
            break  # no pair is allowed to meet
        season.rounds.append(news)
        played += len(news)
        if played < min(marks[0], fit_at):
            if pairing.looks:
                online.absorb(news)
            continue
        history = history.joined(joined(season.rounds[fitted:]))
        fitted = len(season.rounds)
        if pairing.looks:
            ratings = rate(history, bots, scale, ratings)
            online = Online.after(ratings)
            elo = ratings.elo
        else:
            elo = strengths(history, bots, scale, elo)
        fit_at = played * _GROWTH
        if played >= marks[0]:
            marks = [mark for mark in marks if mark > played] or [blocks + 1]
            season.marks.append((played, rank_correlation(elo, world.elo, ~is_anchor)))
    if isinstance(pairing, OurPairing):
        season.waits = pairing.waits(is_anchor)
    return season


def rank_correlation(one: Floats, other: Floats, among: Booleans) -> float:
    """Return Spearman's rank correlation among these bots; 0 if all are equal."""
    ranks = rankdata(one[among]), rankdata(other[among])
    if any(np.ptp(rank) == 0 for rank in ranks):
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1])


def joined(rounds: Sequence[History]) -> History:
    """Return one history, joined in halves to copy as little as possible."""
    if len(rounds) <= 1:
        return rounds[0] if rounds else History({})
    middle = len(rounds) // 2
    return joined(rounds[:middle]).joined(joined(rounds[middle:]))


def _marks(bots: int, blocks: int, batch: int) -> list[int]:
    """Return the marks: from half a block per bot in growing steps, at ends of batches."""
    low, quarter = min(max(bots // 2, blocks // 100, 1), blocks), blocks / 4
    early = np.geomspace(low, quarter, _EARLY, endpoint=False) if low < quarter else np.empty(0)
    late = [blocks * part for part in _LATE if blocks * part >= low]
    return sorted({min(blocks, max(1, round(mark / batch)) * batch) for mark in (*early, *late)})


def _nobody_known(bots: int, scale: Scale) -> Online:
    online = Online(
        strength=np.zeros(bots),
        variance=np.full(bots, UNKNOWN**2),
        turns={},
        effects={},
        origin=scale.origin,
    )
    for version, elo in scale.anchors.items():
        online.strength[version] = (elo - scale.origin) / ELO_PER_LOGIT
        online.variance[version] = max((scale.errors.get(version, 0) / ELO_PER_LOGIT) ** 2, 1e-12)
    return online
