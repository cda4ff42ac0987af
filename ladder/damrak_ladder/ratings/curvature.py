"""Symmetric matrices over all versions and the few parameters that all games share.

Two versions that never met have no entry, so the part over versions stores only the pairs that met,
each once. The shared parameters (the border) are few and dense.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from damrak_ladder.ratings.scale import Booleans, Floats, Integers
from damrak_ladder.ratings.sweep import Layout

_KNOTS: Final = 256  # of the coarse grid
_MOST_STEPS: Final = 3000


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The pairs of versions that met."""

    versions: int
    starts: Integers  # the start of each row of the upper triangle
    others: Integers  # the columns of the upper triangle
    rows: Integers
    # For each layout and each pair of each block: its index in the storage.
    spots: tuple[Integers, ...]

    def __len__(self) -> int:
        return len(self.others)


def network_of(layouts: Sequence[Layout], versions: int) -> Network:
    """Return the pairs that met, and the storage index of each pair of each block."""
    keys = []
    for layout in layouts:
        players = layout.version.reshape(-1, layout.seats).astype(np.int64)
        key = np.empty((len(players), len(layout.pairs)), dtype=np.int64)
        for number, (a, b) in enumerate(layout.pairs):
            low = np.minimum(players[:, a], players[:, b])
            key[:, number] = low * versions + np.maximum(players[:, a], players[:, b])
        keys.append(key.ravel())
    known, spot = np.unique(np.concatenate([np.empty(0, np.int64), *keys]), return_inverse=True)
    where: Integers = spot.astype(np.int32)
    ends = np.cumsum([0, *(len(key) for key in keys)])
    rows = (known // versions).astype(np.int32)
    return Network(
        versions=versions,
        starts=np.searchsorted(rows, np.arange(versions + 1)).astype(np.int32),
        others=(known % versions).astype(np.int32),
        rows=rows,
        spots=tuple(where[ends[i] : ends[i + 1]] for i in range(len(keys))),
    )


@dataclass(slots=True, eq=False)
class Curvature:
    """The negative second derivative of the likelihood, or the spread of its first derivative."""

    network: Network
    diagonal: Floats  # over versions
    above: Floats  # over pairs that met, as stored by the network
    border: Floats  # versions x shared parameters
    corner: Floats  # shared parameters among themselves

    def upper(self) -> csr_array[np.float64]:
        """Return the part above the diagonal as a sparse matrix."""
        size = (self.network.versions, self.network.versions)
        return csr_array((self.above, self.network.others, self.network.starts), shape=size)

    def full(self) -> Floats:
        """Return the complete dense matrix, for few versions."""
        inner = self.upper().toarray()
        inner += inner.T + np.diag(self.diagonal)
        return np.block([[inner, self.border], [self.border.T, self.corner]])


def solved(curvature: Curvature, right: Floats, free: Booleans) -> Floats:
    """Return the solution of equations with few unknowns; unknowns that are not free are 0."""
    at = np.flatnonzero(free)
    answer = np.zeros_like(right)
    factor = cho_factor(curvature.full()[np.ix_(at, at)], lower=True, check_finite=False)
    answer[at] = cho_solve(factor, right[at], check_finite=False)
    return answer


class System:
    """Linear equations with a curvature, in which some unknowns are held at 0.

    They are solved by conjugate gradients. These find differences between versions that met within
    a few steps, but converge slowly for long waves, such as a shift of the whole upper half of the
    ladder against the lower half. A coarse grid covers the long waves: it represents strengths as a
    curve along the ladder with few knots (a two-level additive preconditioner).
    """

    def __init__(self, curvature: Curvature, free: Booleans, strength: Floats) -> None:
        self._versions = curvature.network.versions
        self._curvature = curvature
        self._free = free.astype(np.float64)
        self._upper = curvature.upper()
        self._lower = self._upper.T
        self.inverse: Floats = np.where(free[: self._versions], 1 / curvature.diagonal, 0.0)
        self._curve = _curve(strength, free[: self._versions])
        self._knots = self._curve.shape[1]
        self.coarse_size = self._knots + len(curvature.corner)
        self._coarse = cho_factor(self._coarse_matrix(free), lower=True)

    def times(self, vectors: Floats) -> Floats:
        """Return the product of the matrix and each column."""
        inner = vectors[: self._versions] * self._free[: self._versions, None]
        outer = vectors[self._versions :] * self._free[self._versions :, None]
        curvature = self._curvature
        first = curvature.diagonal[:, None] * inner
        first += np.asarray(self._upper @ inner)
        first += np.asarray(self._lower @ inner)
        first += curvature.border @ outer
        second = np.einsum("vb,vk->bk", curvature.border, inner) + curvature.corner @ outer
        return np.concatenate([first, second]) * self._free[:, None]

    def gather(self, vectors: Floats) -> Floats:
        """Restrict each column to the coarse grid."""
        inner = np.asarray(self._curve.T @ vectors[: self._versions])
        return np.concatenate([inner, vectors[self._versions :]])

    def spread(self, coarse: Floats) -> Floats:
        """Return the curve with these knots at every version; the transpose of `gather`."""
        inner = np.asarray(self._curve @ coarse[: self._knots])
        return np.concatenate([inner, coarse[self._knots :]])

    def coarse(self, vectors: Floats) -> Floats:
        """Return the solution on the coarse grid, for right sides that `gather` returned."""
        return np.asarray(cho_solve(self._coarse, vectors, check_finite=False))

    def solve(self, right: Floats, tolerance: float) -> Floats:
        """Return the solution for each column, up to a residual of this relative size."""
        right = right * self._free[:, None]
        answer = np.zeros_like(right)
        rest = right.copy()
        goal = tolerance**2 * np.einsum("vk,vk->k", right, right)
        direction = step = self._improve(rest)
        slope = np.einsum("vk,vk->k", rest, step)
        for _ in range(_MOST_STEPS):
            if (np.einsum("vk,vk->k", rest, rest) <= goal).all():
                break
            ahead = self.times(direction)
            bend = np.einsum("vk,vk->k", direction, ahead)
            length = np.divide(slope, bend, out=np.zeros_like(slope), where=bend > 0)
            answer += length * direction
            rest -= length * ahead
            step = self._improve(rest)
            before, slope = slope, np.einsum("vk,vk->k", rest, step)
            turn = np.divide(slope, before, out=np.zeros_like(slope), where=before > 0)
            direction = step + turn * direction
        return answer

    def _improve(self, rest: Floats) -> Floats:
        better = self.spread(self.coarse(self.gather(rest))) * self._free[:, None]
        better[: self._versions] += rest[: self._versions] * self.inverse[:, None]
        return better

    def _coarse_matrix(self, free: Booleans) -> Floats:
        knots, curvature, curve = self._knots, self._curvature, self._curve
        result = np.zeros((self.coarse_size, self.coarse_size))
        met = csr_array(curve.T @ (self._upper @ curve)).toarray()
        weighted = csr_array(curve * curvature.diagonal[:, None])
        own = csr_array(curve.T @ weighted).toarray()
        result[:knots, :knots] = met + met.T + own
        result[:knots, knots:] = np.asarray(curve.T @ curvature.border)
        result[knots:, :knots] = result[:knots, knots:].T
        result[knots:, knots:] = curvature.corner
        held = np.concatenate([np.zeros(knots, dtype=bool), ~free[self._versions :]])
        result[held, :] = result[:, held] = 0.0
        result[held, held] = 1.0
        return result


def _curve(strength: Floats, free: Booleans) -> csr_array[np.float64]:
    """Return each version's weights of its two nearest knots, spaced evenly along the ladder."""
    movable = np.flatnonzero(free)
    order = movable[np.argsort(strength[movable], kind="stable")]
    knots = min(_KNOTS, len(order))
    at = np.arange(len(order)) * ((knots - 1) / max(1, len(order) - 1))
    left = np.minimum(at.astype(np.int32), max(0, knots - 2))
    right = np.minimum(left + 1, max(0, knots - 1))
    part = np.minimum(at - left, 1.0)
    return csr_array(
        (
            np.concatenate([1 - part, part]),
            (np.concatenate([order, order]), np.concatenate([left, right])),
        ),
        shape=(len(strength), knots),
    )
