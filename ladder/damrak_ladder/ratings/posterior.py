"""The posterior distribution of strengths, for all statements about the best version.

The published Elo of a version is an estimate from its own games. The highest of many estimates is
usually a lucky one, so a statement about the leaders that takes estimates at face value is
overconfident. Here strengths have a common normal distribution, whose mean and standard deviation
are estimated from the same fit (empirical Bayes), and each estimate is shrunk towards the mean
according to its error:

    strength ~ N(mean, spread²)        estimate ~ N(strength, covariance)

Estimates and covariance are not the published ones but those of a normal approximation of the
likelihood (expansion.py), which is better for comparisons.

A small field contains little information about the spread, so the spread is integrated over a grid
instead of being replaced by one value; its prior is a half-Cauchy distribution (Gelman 2006).

Only differences matter here. The uncertainty that all versions share, the distance of the field to
the anchors, is removed from the covariance. The fit's own prior, a quarter of a drawn game for each
version, is not removed: it is worth less than one block, and pulls towards the same mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import ndtri

from damrak_ladder.ratings.rating import Ratings
from damrak_ladder.ratings.scale import Floats, Integers

_SPREADS: Final = np.concatenate([[0.001], np.geomspace(2, 4000, 44)])
_USUAL_SPREAD: Final = 100.0  # the scale of the half-Cauchy prior, in Elo
_FEWEST: Final = 3  # versions that are not anchors, required for estimating the spread
_MOST: Final = 512  # versions from which the mean and the spread are estimated
_COLUMNS: Final = 32  # random numbers are cached for multiples of this number of versions
_TINY: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The distribution of a field's mean and spread, and the strengths that follow from it."""

    ratings: Ratings
    reference: Integers  # the versions whose mean is the origin of deviations
    weights: Floats  # of each of the possible spreads
    means: Floats  # of the field, in Elo, for each spread
    mean_errors: Floats

    @property
    def spread(self) -> float:
        """The root mean square of the spread, in Elo."""
        return float(np.sqrt(np.sum(self.weights * _SPREADS**2)))

    def draw(self, chosen: Integers, count: int) -> Floats:
        """Return `count` draws of the strengths of these versions: draws x versions, in Elo.

        The same ratings always give the same draws.
        """
        size = len(chosen)
        if not size:
            return np.empty((count, 0))
        covariance = _deviations(self.ratings, chosen, self.reference)
        values, vectors = _eigen(covariance)
        ones, estimates = vectors.T @ np.ones(size), vectors.T @ self.ratings.expansion.elo[chosen]
        at = np.searchsorted(np.cumsum(self.weights), (np.arange(count) + 0.5) / count)
        at = np.minimum(at, len(_SPREADS) - 1)
        normal = _normal(count, -(-(size + 1) // _COLUMNS) * _COLUMNS)[:, : size + 1]
        mean = self.means[at] + self.mean_errors[at] * normal[:, -1]
        variance = _SPREADS[at][:, None] ** 2
        kept = variance / (variance + values)
        centre = mean[:, None] * ones
        drawn = centre + kept * (estimates - centre) + np.sqrt(kept * values) * normal[:, :-1]
        return np.asarray(drawn @ vectors.T)


def posterior(ratings: Ratings, among: Integers) -> Posterior:
    """Return the posterior of the strengths of a field, estimated from these versions of a fit.

    Anchors do not count towards the mean and the spread unless there are hardly any others, because
    house bots may be far from the competitors.
    """
    reference = among[~np.isin(among, list(ratings.scale.anchors))]
    if len(reference) < _FEWEST:
        reference = among
    if len(reference) > _MOST:
        order = reference[np.lexsort((reference, ratings.expansion.elo[reference]))]
        reference = order[np.linspace(0, len(order) - 1, _MOST).astype(np.intp)]
    size = len(reference)
    if not size:
        return Posterior(ratings, reference, _prior(), np.zeros(len(_SPREADS)), _SPREADS)
    values, vectors = _eigen(_deviations(ratings, reference, reference))
    ones, estimates = vectors.T @ np.ones(size), vectors.T @ ratings.expansion.elo[reference]
    variance = values + _SPREADS[:, None] ** 2
    precision = np.sum(ones * ones / variance, axis=1)
    means = np.sum(ones * estimates / variance, axis=1) / precision
    misfit = np.sum((estimates - means[:, None] * ones) ** 2 / variance, axis=1)
    likelihood = -0.5 * (np.sum(np.log(variance), axis=1) + np.log(precision) + misfit)
    weights = np.exp(likelihood - np.max(likelihood)) * _prior()
    return Posterior(ratings, reference, weights / np.sum(weights), means, 1 / np.sqrt(precision))


def _prior() -> Floats:
    """Return the prior probability of each spread."""
    density = np.gradient(_SPREADS) / (1 + (_SPREADS / _USUAL_SPREAD) ** 2)
    return np.asarray(density / np.sum(density))


def _deviations(ratings: Ratings, chosen: Integers, reference: Integers) -> Floats:
    """Return the covariance of deviations from the mean of the reference, in squared Elo.

    Subtracting the mean of independent estimates makes them slightly dependent. A constant, which
    does not affect differences, corrects that on average.
    """
    between = ratings.expansion.between
    within = between(reference, reference)
    across = np.mean(between(chosen, reference), axis=1)
    common = np.mean(within, axis=1)
    spare = np.mean(np.diag(within) - 2 * common) + np.mean(within)
    result = between(chosen, chosen) - across[:, None] - across
    result += np.mean(within) + spare / max(1, len(reference) - 1)
    return np.asarray(result)


def _eigen(covariance: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues, clipped at 0, and the eigenvectors."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    return np.maximum(values, _TINY), vectors


@lru_cache(maxsize=4)
def _normal(count: int, columns: int) -> Floats:
    """Return normal numbers that cover all directions more evenly than pseudo-random ones."""
    shift = np.random.default_rng(0).random(columns)
    uniform = np.empty((count, columns))
    base = (np.arange(count) + 0.5) / count
    for column in range(columns):
        order = np.random.default_rng([1, column]).permutation(count)
        uniform[:, column] = (base[order] + shift[column] / count) % 1.0
    normal: Floats = ndtri(np.clip(uniform, 1e-9, 1 - 1e-9))
    normal.flags.writeable = False  # it is cached
    return normal
