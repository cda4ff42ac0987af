"""The model of the fit: anchors, weak priors, and the penalised likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from damrak_ladder.ratings.curvature import Curvature, Network, network_of
from damrak_ladder.ratings.history import History
from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Booleans, Floats
from damrak_ladder.ratings.sweep import Layout, Sweep, layout_of, sweep

PHANTOM_GAMES: Final = 0.25
"""The number of drawn games with the phantom that is added to each version.

More of them pull large fields together if their anchors are few and distant: then intervals do not
contain the truth often enough (docs/ratings.md). Fewer leave versions that won all games without a
limit.
"""

TURN_SPREAD: Final = 0.35
"""The standard deviation, in logits, of the prior of a turn's advantage; its mean is 0.

Between copies of `planner` on amsterdam, the first turn is worth 0.39. With a wider prior, small
fields would mistake the luck of their first blocks for an advantage.
"""


@dataclass(frozen=True, slots=True)
class Scale:
    """The definition of the Elo scale.

    `anchors` contains the Elo of some versions. An anchor in `errors` is uncertain: its strength
    has a normal prior with this standard deviation (in Elo) and is fitted like all others. The
    other anchors keep their Elo. Without anchors, the phantom, the middle of the field, is placed
    at `centre`.

    Raises:
        ValueError: an error is not positive, or belongs to a version that is not an anchor.
    """

    anchors: Mapping[int, float] = field(default_factory=dict)
    centre: float = 1500.0
    errors: Mapping[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.errors.keys() <= self.anchors.keys():
            raise ValueError("errors: not all of them belong to anchors")
        if not all(error > 0 for error in self.errors.values()):
            raise ValueError("errors: not all of them are above 0")

    @property
    def fixed(self) -> dict[int, float]:
        """The anchors that keep their Elo."""
        return {at: elo for at, elo in self.anchors.items() if at not in self.errors}

    @property
    def without_priors(self) -> Scale:
        """The same scale with the fixed anchors only."""
        return Scale(self.fixed, self.centre)

    @property
    def origin(self) -> float:
        """The Elo that corresponds to 0 logits: the mean of the anchors."""
        if not self.anchors:
            return self.centre
        return sum(sorted(self.anchors.values())) / len(self.anchors)


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """The values of all parameters, in logits: versions, then the phantom, then turns."""

    values: Floats
    versions: int

    @property
    def strength(self) -> Floats:
        """The strength of every version."""
        return self.values[: self.versions]

    @property
    def phantom(self) -> float:
        """The strength of the imaginary bot in the middle of the field."""
        return float(self.values[self.versions])


class Model:
    """The penalised likelihood of a history."""

    def __init__(self, history: History, versions: int, scale: Scale) -> None:
        self.versions = versions
        self.scale = scale
        self.layouts: list[Layout] = [
            layout_of(table) for table in history.tables.values() if len(table)
        ]
        self.network: Network = network_of(self.layouts, versions)
        # For each layout the parameters of its turns: from, to.
        self.turns: list[tuple[int, int]] = []
        size = versions + 1
        for layout in self.layouts:
            self.turns.append((size, size + layout.seats - 1))
            size += layout.seats - 1
        self.size = size
        free = np.ones(size, dtype=bool)
        free[list(scale.fixed)] = False
        free[versions] = bool(scale.anchors)
        self.free: Booleans = free
        self.prior_mean, self.prior_precision = self._priors()

    def start(self, strength: Floats | None = None) -> Point:
        """Return the start of the search: all versions in the middle, or at the given strengths."""
        values = np.zeros(self.size)
        if strength is not None:
            values[: len(strength)] = strength
        for version, elo in self.scale.fixed.items():
            values[version] = (elo - self.scale.origin) / ELO_PER_LOGIT
        return Point(values, self.versions)

    def advantage(self, point: Point, layout: int) -> Floats:
        """Return the advantage of each turn at these tables, relative to the first."""
        start, stop = self.turns[layout]
        return np.concatenate([[0.0], point.values[start:stop]])

    def sweeps(self, point: Point) -> list[Sweep]:
        """Calculate the likelihood and its derivatives of all games."""
        return [
            sweep(layout, point.strength, self.advantage(point, number))
            for number, layout in enumerate(self.layouts)
        ]

    def likelihood(self, point: Point, sweeps: list[Sweep]) -> float:
        """Return the penalised log-likelihood."""
        gap = point.strength - point.phantom
        drawn = -np.logaddexp(0, gap) - np.logaddexp(0, -gap)
        shared = point.values[self.versions + 1 :]
        belief = float(np.sum(shared * shared)) / (2 * TURN_SPREAD**2)
        games = sum(one.likelihood for one in sweeps)
        off = point.strength - self.prior_mean
        belief += float(np.sum(self.prior_precision * off * off)) / 2
        return games + PHANTOM_GAMES / 2 * float(np.sum(drawn)) - belief

    def slope(self, point: Point, sweeps: list[Sweep]) -> Floats:
        """Return the gradient of the penalised log-likelihood; 0 for parameters that are held."""
        slope = np.zeros(self.size)
        pull = PHANTOM_GAMES * (0.5 - self._expected(point))
        slope[: self.versions] = pull
        slope[self.versions] = -np.sum(pull)
        slope[: self.versions] -= self.prior_precision * (point.strength - self.prior_mean)
        for number, (layout, one) in enumerate(zip(self.layouts, sweeps, strict=True)):
            slope[: self.versions] += np.bincount(layout.version, one.score, self.versions)
            start, stop = self.turns[number]
            belief = point.values[start:stop] / TURN_SPREAD**2
            slope[start:stop] = np.sum(one.turn_score, axis=0)[1:] - belief
        slope[~self.free] = 0.0
        return slope

    def curvature(self, point: Point, sweeps: list[Sweep]) -> Curvature:
        """Return the negative second derivative of the penalised log-likelihood."""
        versions, shared = self.versions, self.size - self.versions
        result = Curvature(
            network=self.network,
            diagonal=np.zeros(versions),
            above=np.zeros(len(self.network)),
            border=np.zeros((versions, shared)),
            corner=np.zeros((shared, shared)),
        )
        expected = self._expected(point)
        drawn = PHANTOM_GAMES * expected * (1 - expected)
        result.border[:, 0] = -drawn
        result.corner[0, 0] = np.sum(drawn)
        for number, (layout, one) in enumerate(zip(self.layouts, sweeps, strict=True)):
            spots = self.network.spots[number]
            result.above -= np.bincount(spots, one.pair.ravel(), minlength=len(self.network))
            start, stop = (at - versions for at in self.turns[number])
            for turn in range(1, layout.seats):
                result.border[:, start + turn - 1] = np.bincount(
                    layout.version, one.turn_cross[:, turn], versions
                )
            met = one.turn_pair + one.turn_pair.T
            between = np.diag(np.sum(met, axis=1)) - met
            result.corner[start:stop, start:stop] = between[1:, 1:]
            result.corner[range(start, stop), range(start, stop)] += 1 / TURN_SPREAD**2
        network = self.network
        result.diagonal -= np.bincount(network.rows, result.above, versions)
        result.diagonal -= np.bincount(network.others, result.above, versions)
        result.diagonal += drawn + self.prior_precision
        return result

    def _priors(self) -> tuple[Floats, Floats]:
        """Return means and precisions, in logits, of all versions; 0 without a prior."""
        mean, precision = np.zeros(self.versions), np.zeros(self.versions)
        for version, error in self.scale.errors.items():
            mean[version] = (self.scale.anchors[version] - self.scale.origin) / ELO_PER_LOGIT
            precision[version] = (ELO_PER_LOGIT / error) ** 2
        return mean, precision

    def _expected(self, point: Point) -> Floats:
        """Return each version's expected score against the phantom."""
        return np.asarray(1 / (1 + np.exp(point.phantom - point.strength)))
