"""How the errors of the estimates belong together: the sandwich.

It is information^-1 spread information^-1. Up to `EXACT` versions it is calculated as it stands.
Beyond, the inverse would fill the memory; then

1. the inverse is approximated by what one smoothing step and the coarse picture of `System` make
   of it, with which all variances and covariances are sums over what is stored anyway;
2. for a sample of versions along the ladder the variance is calculated as it is, and the others
   are corrected by what the approximation missed there.
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


class Covariance(Protocol):
    """Variances and covariances of the strengths of versions, in squared logits."""

    @property
    def variances(self) -> Floats:
        """Of every version; 0 for anchors."""

    def between(self, rows: Integers, columns: Integers) -> Floats:
        """Of each of the one with each of the other versions."""


class ExactCovariance:
    """All of it, in memory."""

    def __init__(self, bends: Curvature, spread: Curvature, free: Booleans) -> None:
        at = np.flatnonzero(free)
        inner = np.ix_(at, at)
        factor = cho_factor(bends.full()[inner], lower=True)
        half = cho_solve(factor, spread.full()[inner])
        whole = np.zeros((len(free), len(free)))
        whole[inner] = cho_solve(factor, half.T)
        versions = bends.network.versions
        self._matrix = (whole + whole.T)[:versions, :versions] / 2

    @property
    def variances(self) -> Floats:
        """Of every version; 0 for anchors."""
        return np.diag(self._matrix).copy()

    def between(self, rows: Integers, columns: Integers) -> Floats:
        """Of each of the one with each of the other versions."""
        return np.asarray(self._matrix[np.ix_(rows, columns)])


class WideCovariance:
    """An approximation for many versions."""

    def __init__(
        self, bends: Curvature, spread: Curvature, free: Booleans, strength: Floats
    ) -> None:
        versions = bends.network.versions
        self._free, self._strength = free, strength
        self._system = System(bends, free, strength)
        self._filling = System(spread, free, strength)
        self._pairs = spread.upper()
        self._inverse = self._system.inverse
        unit = self._system.spread(np.eye(self._system.coarse_size))
        seen = self._system.times(unit)[:versions].T  # coarse x versions, as all that follows
        self._coarse = self._system.coarse(unit[:versions].T - seen * self._inverse)
        self._coarse *= free[:versions]
        filled = self._filling.times(unit)
        self._mixed = filled[:versions].T
        self._inner = self._system.gather(filled) @ self._coarse
        rough = (
            spread.diagonal * self._inverse**2
            + 2 * self._inverse * np.einsum("cv,cv->v", self._mixed, self._coarse)
            + np.einsum("cv,cv->v", self._coarse, self._inner)
        )
        self._variances: Floats = rough * self._missed(rough)

    @property
    def variances(self) -> Floats:
        """Of every version; 0 for anchors."""
        return self._variances

    def between(self, rows: Integers, columns: Integers) -> Floats:
        """Of each of the one with each of the other versions."""
        scale_r, scale_c = self._inverse[rows], self._inverse[columns]
        result = self._coarse[:, rows].T @ self._inner[:, columns]
        result += scale_r[:, None] * (self._mixed[:, rows].T @ self._coarse[:, columns])
        result += scale_c * (self._coarse[:, rows].T @ self._mixed[:, columns])
        met = self._pairs[rows][:, columns] + self._pairs[columns][:, rows].T
        result += scale_r[:, None] * met.toarray() * scale_c
        same = np.equal.outer(rows, columns)
        result[same] = np.broadcast_to(self._variances[rows][:, None], same.shape)[same]
        return np.asarray(result)

    def _missed(self, rough: Floats) -> Floats:
        """By what factor variances are larger, measured on a sample and interpolated between."""
        movable = np.flatnonzero(self._free[: len(rough)])
        order = movable[np.argsort(self._strength[movable], kind="stable")]
        sample = order[np.linspace(0, len(order) - 1, SAMPLE).astype(np.intp)]
        right = np.zeros((len(self._free), SAMPLE))
        right[sample, np.arange(SAMPLE)] = 1.0
        column = self._system.solve(right, _TOLERANCE)
        exact = np.einsum("vk,vk->k", column, self._filling.times(column))
        ratio = exact / rough[sample]
        padded = np.concatenate([ratio[:1], ratio[:1], ratio, ratio[-1:], ratio[-1:]])
        ratio = np.convolve(padded, np.full(5, 0.2), mode="valid")
        return np.interp(self._strength, self._strength[sample], ratio)
