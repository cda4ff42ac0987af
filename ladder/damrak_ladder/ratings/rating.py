"""The ratings of a ladder: strengths with intervals, fitted to all blocks at once.

ratings = rate(history, versions=3, scale=Scale(anchors={0: 1500.0}))
ratings.elo, ratings.low, ratings.high
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from damrak_ladder.ratings.covariance import (
    EXACT,
    CentredCovariance,
    Covariance,
    ExactCovariance,
    WideCovariance,
)
from damrak_ladder.ratings.expansion import Expansion, expand
from damrak_ladder.ratings.history import History
from damrak_ladder.ratings.model import Model, Point, Scale
from damrak_ladder.ratings.newton import maximum
from damrak_ladder.ratings.scale import ELO_PER_LOGIT, NORMAL_975, Floats, Integers, reach
from damrak_ladder.ratings.spread import spread_of_scores


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """The estimated strength of each version; arrays are indexed by version number."""

    elo: Floats
    low: Floats  # without anchors: relative to the mean of the field
    high: Floats
    error: Floats  # standard errors, in Elo
    freedom: Floats  # of the standard errors
    blocks: Integers
    games: Integers
    middle: float  # the Elo of the phantom
    turns: Mapping[int, tuple[float, ...]]  # by table size: Elo of each turn above the mean turn
    # By table size: variance of the scores of blocks relative to independent games.
    effects: Mapping[int, float]
    scale: Scale
    covariance: Covariance
    expansion: Expansion  # for statements about the best version

    def __len__(self) -> int:
        return len(self.elo)

    @property
    def widths(self) -> Floats:
        """The standard errors in Elo with which a normal distribution gives the same intervals."""
        return (self.high - self.low) / (2 * NORMAL_975)


def rate(
    history: History, versions: int, scale: Scale | None = None, start: Ratings | None = None
) -> Ratings:
    """Return the ratings of versions 0 to `versions` - 1.

    The result depends only on the set of blocks: it does not depend on their order, on `start`,
    which only saves time, or on the number of threads, within more digits than are ever printed.

    Without anchors, the errors and intervals are those of the distance to the mean of the versions
    that have played, because the position of the field as a whole on the scale has no meaning then.

    Raises:
        ValueError: a block or an anchor refers to a version that does not exist.
    """
    scale = scale or Scale()
    model, point = _fitted(history, versions, scale, None if start is None else start.elo)
    sweeps = model.sweeps(point)
    bends = model.curvature(point, sweeps)
    spread = spread_of_scores(model, point, sweeps, bends)
    covariance: Covariance
    if np.count_nonzero(model.free) <= EXACT:
        covariance = ExactCovariance(bends, spread.matrix, model.free)
    else:
        covariance = WideCovariance(bends, spread.matrix, model.free, point.strength)
    played = np.flatnonzero(history.blocks_of(versions)).astype(np.int32)
    if not scale.anchors and len(played):
        covariance = CentredCovariance(covariance, played)
    error = np.sqrt(covariance.variances)
    half = reach(error, spread.freedom)
    elo = _elo(scale, point)
    return Ratings(
        elo=elo,
        low=elo - ELO_PER_LOGIT * half,
        high=elo + ELO_PER_LOGIT * half,
        error=ELO_PER_LOGIT * error,
        freedom=spread.freedom,
        blocks=history.blocks_of(versions),
        games=history.games_of(versions),
        middle=scale.origin + ELO_PER_LOGIT * point.phantom,
        turns=_turns(model, point),
        effects=spread.effects,
        scale=scale,
        covariance=covariance,
        expansion=expand(model, point, covariance.variances, spread.effects),
    )


def strengths(history: History, versions: int, scale: Scale, start: Floats | None = None) -> Floats:
    """Return the Elo of `rate` without its errors, in less time. `start` is such a result, too."""
    return _elo(scale, _fitted(history, versions, scale, start)[1])


def rate_by_seats(
    history: History, versions: int, scale: Scale | None = None, start: Ratings | None = None
) -> dict[int, Ratings]:
    """Return the ratings from tables of one size alone, by size."""
    return {
        seats: rate(history.only(seats), versions, scale, start)
        for seats, table in history.tables.items()
        if len(table)
    }


def _fitted(
    history: History, versions: int, scale: Scale, start: Floats | None
) -> tuple[Model, Point]:
    if history.versions > versions or not all(0 <= at < versions for at in scale.anchors):
        raise ValueError(f"only {versions} versions are known")
    model = Model(history, versions, scale)
    begin = None if start is None else (start - scale.origin) / ELO_PER_LOGIT
    return model, maximum(model, history, begin)


def _elo(scale: Scale, point: Point) -> Floats:
    elo = scale.origin + ELO_PER_LOGIT * point.strength
    fixed = scale.fixed
    elo[list(fixed)] = list(fixed.values())
    return elo


def _turns(model: Model, point: Point) -> dict[int, tuple[float, ...]]:
    result = {}
    for number, layout in enumerate(model.layouts):
        advantage = model.advantage(point, number)
        centred = ELO_PER_LOGIT * (advantage - np.mean(advantage))
        result[layout.seats] = tuple(float(elo) for elo in centred)
    return result
