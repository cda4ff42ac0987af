"""The covariance of the estimates, as a sandwich estimator.

It is information^-1 spread information^-1. Up to `EXACT` versions it is calculated exactly. With
the information itself as the spread, it is the inverse. For more versions the inverse would not fit
into memory, so

1. the inverse is approximated by one smoothing step and the coarse grid of `System`, so that all
   variances and covariances are sums over values that are stored anyway;
2. for a sample of versions along the ladder, the errors are calculated exactly. The part of all
   other errors that follows from those of the sample (the Nyström method) is exact, too; only the
   rest is approximated. So errors that are shared over long distances, which the approximation
   misses, are right, and so is the small difference between two versions that share most of them.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from damrak_ladder.ratings.curvature import Curvature, System
from damrak_ladder.ratings.scale import Booleans, Floats, Integers

EXACT: Final = 1500
SAMPLE: Final = 48
_TOLERANCE: Final = 0.02
_FIELD: Final = 512  # versions over which the mean of a field is taken


class Covariance(Protocol):
    """Variances and covariances of the strengths of versions, in squared logits."""

    @property
    def variances(self) -> Floats:
        """The variance of every version; 0 for fixed anchors."""

    def between(self, rows: Integers, columns: Integers) -> Floats:
        """Return the covariance of each version of `rows` with each version of `columns`."""


class ExactCovariance:
    """The complete covariance matrix, in memory."""

    def __init__(self, bends: Curvature, spread: Curvature, free: Booleans) -> None:
        at = np.flatnonzero(free)
        inner = np.ix_(at, at)
        factor = cho_factor(bends.full()[inner], lower=True)
        half = np.eye(len(at)) if spread is bends else cho_solve(factor, spread.full()[inner])
        whole = np.zeros((len(free), len(free)))
        whole[inner] = cho_solve(factor, half.T)
        versions = bends.network.versions
        self._matrix = (whole + whole.T)[:versions, :versions] / 2

    @property
    def variances(self) -> Floats:
        """The variance of every version; 0 for fixed anchors."""
        return np.diag(self._matrix).copy()

    def between(self, rows: Integers, columns: Integers) -> Floats:
        """Return the covariance of each version of `rows` with each version of `columns`."""
        return np.asarray(self._matrix[np.ix_(rows, columns)])


class WideCovariance:
    """An approximation of the covariance for many versions."""

    def __init__(
        self, bends: Curvature, spread: Curvature, free: Booleans, strength: Floats
    ) -> None:
        versions = bends.network.versions
        self._free, self._strength = free, strength
        self._system = System(bends, free, strength)
        self._filling = self._system if spread is bends else System(spread, free, strength)
        self._pairs = spread.upper()
        self._inverse = self._system.inverse
        unit = self._system.spread(np.eye(self._system.coarse_size))
        whole = self._system.times(unit)
        seen = whole[:versions].T  # coarse x versions, like all of the following
        self._coarse = self._system.coarse(unit[:versions].T - seen * self._inverse)
        self._coarse *= free[:versions]
        filled = whole if self._filling is self._system else self._filling.times(unit)
        self._mixed = filled[:versions].T
        self._inner = self._system.gather(filled) @ self._coarse
        rough = (
            spread.diagonal * self._inverse**2
            + 2 * self._inverse * np.einsum("cv,cv->v", self._mixed, self._coarse)
            + np.einsum("cv,cv->v", self._coarse, self._inner)
        )
        self._right, self._wrong = self._followed(rough)
        own = np.maximum(rough - np.sum(self._wrong**2, axis=1), 0.0)
        self._variances: Floats = own + np.sum(self._right**2, axis=1)

    @property
    def variances(self) -> Floats:
        """The variance of every version; 0 for fixed anchors."""
        return self._variances

    def between(self, rows: Integers, columns: Integers) -> Floats:
        """Return the covariance of each version of `rows` with each version of `columns`."""
        result = self._rough(rows, columns)
        result += self._right[rows] @ self._right[columns].T
        result -= self._wrong[rows] @ self._wrong[columns].T
        same = np.equal.outer(rows, columns)
        result[same] = np.broadcast_to(self._variances[rows][:, None], same.shape)[same]
        return np.asarray(result)

    def _rough(self, rows: Integers, columns: Integers) -> Floats:
        """Return the approximated covariances; those of a version with itself are incomplete."""
        scale_r, scale_c = self._inverse[rows], self._inverse[columns]
        result = self._coarse[:, rows].T @ self._inner[:, columns]
        result += scale_r[:, None] * (self._mixed[:, rows].T @ self._coarse[:, columns])
        result += scale_c * (self._coarse[:, rows].T @ self._mixed[:, columns])
        met = self._pairs[rows][:, columns] + self._pairs[columns][:, rows].T
        result += scale_r[:, None] * met.toarray() * scale_c
        return np.asarray(result)

    def _followed(self, variances: Floats) -> tuple[Floats, Floats]:
        """Return the part that follows from the errors of a sample, exactly and as approximated.

        Each is a root of that part of the covariance.
        """
        versions = len(variances)
        movable = np.flatnonzero(self._free[:versions])
        order = movable[np.argsort(self._strength[movable], kind="stable")]
        sample = order[np.linspace(0, len(order) - 1, SAMPLE).astype(np.intp)].astype(np.int32)
        unit = np.zeros((len(self._free), SAMPLE))
        unit[sample, np.arange(SAMPLE)] = 1.0
        column = self._system.solve(unit, _TOLERANCE)
        if self._filling is self._system:
            exact = column[:versions]
        else:
            exact = self._system.solve(self._filling.times(column), _TOLERANCE)[:versions]
        rough = self._rough(np.arange(versions, dtype=np.int32), sample)
        rough[sample, np.arange(SAMPLE)] = variances[sample]
        return _root(exact, sample), _root(rough, sample)


class CentredCovariance:
    """The covariance of deviations from the mean of a field."""

    def __init__(self, whole: Covariance, field: Integers) -> None:
        if len(field) > _FIELD:
            field = field[np.linspace(0, len(field) - 1, _FIELD).astype(np.intp)]
        self._whole = whole
        versions = len(whole.variances)
        self._shared = np.empty(versions)
        for start in range(0, versions, _FIELD):
            rows = np.arange(start, min(start + _FIELD, versions), dtype=np.int32)
            self._shared[rows] = np.mean(whole.between(rows, field), axis=1)
        self._mean = float(np.mean(self._shared[field]))
        self._variances: Floats = np.maximum(whole.variances - 2 * self._shared + self._mean, 0.0)

    @property
    def variances(self) -> Floats:
        """The variance of every version."""
        return self._variances

    def between(self, rows: Integers, columns: Integers) -> Floats:
        """Return the covariance of each version of `rows` with each version of `columns`."""
        result = self._whole.between(rows, columns)
        return result - self._shared[rows][:, None] - self._shared[columns] + self._mean


def _root(columns: Floats, sample: Integers) -> Floats:
    """Return a root of the part that follows from the sample.

    `columns` are the covariances of all versions with the sample.
    """
    own = columns[sample]
    size, direction = np.linalg.eigh((own + own.T) / 2)
    kept = size > 1e-6 * size[-1]
    return np.asarray(columns @ (direction[:, kept] / np.sqrt(size[kept])))
