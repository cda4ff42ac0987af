"""Estimates between two fits, updated from new blocks at a cost that is independent of history.

The previous knowledge is kept as one value and one variance for each version. New blocks are
weighed against it: the players of these blocks get the most likely strengths given both, and all
other versions keep theirs. So a block costs the same after ten games and after ten million. The
update neglects that the opponents of opponents would move a little, too; the next full fit corrects
that. docs/ratings.md states the size of this error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.ratings.curvature import Curvature, System, network_of
from damrak_ladder.ratings.history import History, Tables
from damrak_ladder.ratings.rating import Ratings
from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Floats, Integers
from damrak_ladder.ratings.sweep import layout_of, sweep

UNKNOWN: Final = 2.0
"""The standard error of a version that has not played, in logits."""

_KNOWN: Final = 1e-6  # the standard error of a fixed anchor
_CLOSE: Final = 1e-6
_LONGEST: Final = 3.0
_FAR: Final = 0.1  # a step that is shorter has converged
_FEW: Final = 200


@dataclass(slots=True, eq=False)
class Online:
    """Strengths that are updated from blocks; in logits above `origin`."""

    strength: Floats
    variance: Floats
    turns: Mapping[int, Floats]
    effects: Mapping[int, float]
    origin: float

    @classmethod
    def after(cls, ratings: Ratings) -> Online:
        """Return the state after a full fit."""
        return cls(
            strength=(ratings.elo - ratings.scale.origin) / ELO_PER_LOGIT,
            variance=np.clip((ratings.widths / ELO_PER_LOGIT) ** 2, _KNOWN**2, UNKNOWN**2),
            turns={n: np.array(elo) / ELO_PER_LOGIT for n, elo in ratings.turns.items()},
            effects=dict(ratings.effects),
            origin=ratings.scale.origin,
        )

    @property
    def elo(self) -> Floats:
        """The Elo of every version."""
        return self.origin + ELO_PER_LOGIT * self.strength

    @property
    def error(self) -> Floats:
        """The standard error of every version, in Elo."""
        return ELO_PER_LOGIT * np.sqrt(self.variance)

    def enter(self, elo: float, error: float = UNKNOWN * ELO_PER_LOGIT) -> int:
        """Add a new version of about this strength and return its number."""
        self.strength = np.append(self.strength, (elo - self.origin) / ELO_PER_LOGIT)
        self.variance = np.append(self.variance, max(error / ELO_PER_LOGIT, _KNOWN) ** 2)
        return len(self.strength) - 1

    def absorb(self, news: History) -> Integers:
        """Update the strengths from new blocks and return the versions that have changed."""
        tables = [table for table in news.tables.values() if len(table)]
        if not tables:
            return np.empty(0, dtype=np.int32)
        touched = np.unique(np.concatenate([table.players.ravel() for table in tables]))
        found, variance = self._settle(tables, touched)
        self.strength[touched] = found
        self.variance[touched] = variance
        return touched.astype(np.int32)

    def _settle(self, tables: list[Tables], touched: Integers) -> tuple[Floats, Floats]:
        """Return the most likely strengths of the players of these blocks, and their variances."""
        count = len(touched)
        layouts = [layout_of(_renumbered(table, touched)) for table in tables]
        network = network_of(layouts, count)
        before = self.strength[touched]
        precision = 1 / self.variance[touched]
        strength = before.copy()
        step = np.zeros(count)
        while True:
            slope = precision * (before - strength)
            above = np.zeros(len(network))
            for number, layout in enumerate(layouts):
                turns = self.turns.get(layout.seats, np.zeros(layout.seats))
                one = sweep(layout, strength, turns)
                worth = 1 / max(self.effects.get(layout.seats, 1.0), 0.05)
                slope += worth * np.bincount(layout.version, one.score, count)
                spots = network.spots[number]
                above -= worth * np.bincount(spots, one.pair.ravel(), len(network))
            if float(slope @ step) < 0 and float(np.max(np.abs(step))) > _FAR:
                # Too far: halve the step, because the search could oscillate otherwise.
                step = step / 2
                strength -= step
                continue
            diagonal = precision - np.bincount(network.rows, above, count)
            diagonal -= np.bincount(network.others, above, count)
            bends = Curvature(network, diagonal, above, np.zeros((count, 0)), np.zeros((0, 0)))
            step = _solved(bends, slope, strength)
            length = float(np.max(np.abs(step)))
            step *= min(1.0, _LONGEST / length) if length else 0.0
            strength += step
            if length <= _CLOSE:
                break
        # The information of a game about one player is limited by what is known of the other.
        known = precision.copy()
        rows, others = network.rows, network.others
        known += np.bincount(rows, _through(-above, precision[others]), count)
        known += np.bincount(others, _through(-above, precision[rows]), count)
        return strength, 1 / known


def _solved(bends: Curvature, slope: Floats, strength: Floats) -> Floats:
    if len(slope) <= _FEW:
        return np.asarray(np.linalg.solve(bends.full(), slope))
    free = np.ones(len(slope), dtype=bool)
    return System(bends, free, strength).solve(slope[:, None], 1e-6)[:, 0]


def _through(information: Floats, precision: Floats) -> Floats:
    return information * precision / (information + precision)


def _renumbered(table: Tables, touched: Integers) -> Tables:
    players = np.searchsorted(touched, table.players).astype(np.int32)
    return Tables(players, table.block, table.turns, table.places)
