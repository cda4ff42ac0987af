"""A normal approximation of the likelihood, for all statements about the best version.

The published estimates are at the maximum of the likelihood, and their errors are valid there. For
comparing versions, that is not the best approximation:

* The likelihood is skewed. A version that won nearly all games may be much stronger than all
  others, but hardly weaker. At its maximum, which is too high for such a version, the curvature
  describes only the flat side. So the likelihood is expanded where strengths probably are: at
  estimates that are shrunk towards the mean of the field.
* The error of a version with few blocks is itself uncertain, and depends on the same games as the
  estimate. So the curvature is divided by one dispersion factor, estimated from all blocks: the
  variance of the scores of blocks relative to that of independent games.

The estimate of the expansion is the maximum of the parabola that touches the likelihood there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from damrak_ladder.ratings.covariance import (
    EXACT,
    Covariance,
    ExactCovariance,
    WideCovariance,
)
from damrak_ladder.ratings.curvature import Curvature, System, solved
from damrak_ladder.ratings.model import Model, Point
from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Booleans, Floats, Integers

_USUAL_SPREAD: Final = 100 / ELO_PER_LOGIT
_LEAST_SPREAD: Final = 50 / ELO_PER_LOGIT
_INDEPENDENT: Final = 20.0  # comparisons by which the dispersion is shrunk towards 1
_TOLERANCE: Final = 1e-3


@dataclass(frozen=True, eq=False)
class Expansion:
    """Estimates and errors of a normal approximation of the likelihood, in Elo."""

    elo: Floats
    dispersion: float  # of the scores of blocks, relative to independent games
    _bends: Curvature
    _free: Booleans

    @property
    def variances(self) -> Floats:
        """The variance of every version; 0 for anchors."""
        return self._inverse.variances * (self.dispersion * ELO_PER_LOGIT**2)

    def between(self, rows: Integers, columns: Integers) -> Floats:
        """Return the covariance of each version of `rows` with each version of `columns`."""
        return self._inverse.between(rows, columns) * (self.dispersion * ELO_PER_LOGIT**2)

    @cached_property
    def _inverse(self) -> Covariance:
        """The inverse of the curvature; calculated on first use, because few fits need it."""
        if np.count_nonzero(self._free) <= EXACT:
            return ExactCovariance(self._bends, self._bends, self._free)
        return WideCovariance(self._bends, self._bends, self._free, self.elo)


def expand(
    model: Model, point: Point, variances: Floats, effects: Mapping[int, float]
) -> Expansion:
    """Return the expansion of the likelihood near the most likely point, whose errors are known.

    `effects` has the variance of the scores of blocks relative to independent games, by table size.
    """
    near = _shrunk(model, point, variances)
    sweeps = model.sweeps(near)
    bends, slope = model.curvature(near, sweeps), model.slope(near, sweeps)
    if np.count_nonzero(model.free) <= EXACT:
        step = solved(bends, slope, model.free)
    else:
        step = System(bends, model.free, near.strength).solve(slope[:, None], _TOLERANCE)[:, 0]
    strength = (near.values + step)[: model.versions]
    elo = model.scale.origin + ELO_PER_LOGIT * strength
    return Expansion(elo, _dispersion(model, effects), bends, model.free)


def _shrunk(model: Model, point: Point, variances: Floats) -> Point:
    """Return the point with each strength shrunk towards the mean according to its error.

    It need not be exact: an expansion at a nearby point hardly differs.
    """
    values = point.values.copy()
    free = np.flatnonzero(model.free[: model.versions])
    if not len(free):
        return point
    strength, variance = values[free], variances[free]
    weight = 1 / (variance + _USUAL_SPREAD**2)
    mean = np.average(strength, weights=weight)
    found = np.average((strength - mean) ** 2 - variance, weights=weight)
    prior = max(float(found), _LEAST_SPREAD**2)
    values[free] = mean + (strength - mean) * prior / (prior + variance)
    return Point(values, model.versions)


def _dispersion(model: Model, effects: Mapping[int, float]) -> float:
    """Return one factor for the whole field, shrunk towards 1 by some independent games."""
    strayed, counted = _INDEPENDENT, _INDEPENDENT
    for layout in model.layouts:
        comparisons = len(layout.version) / layout.seats * (layout.seats - 1)
        strayed += comparisons * effects[layout.seats]
        counted += comparisons
    return strayed / counted
