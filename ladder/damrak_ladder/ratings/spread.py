"""The spread of the scores of blocks: the middle factor of the sandwich estimator.

The games of a block share cards, boards and hosts, so they contain less information (or, mirrored,
more) than the same number of independent games. The model makes no assumption about that: each
block counts as one observation with the score it had. Three corrections give intervals of few
blocks the stated coverage:

* The fit is judged by the blocks that it follows, which makes their scores too small. Each score
  is divided by the root of 1 - leverage, the share of the block in the information about its
  players (known as CR2 in econometrics; the leverage is taken from the diagonal of the
  information).
* A few blocks contain little information about their own variance. So their variance is mixed with
  that of all blocks of the ladder, as if each version had played `BORROWED` more blocks with the
  usual variance.
* Student's quantile is used. Its degrees of freedom are the number of blocks less one, plus the
  borrowed ones. A block against a distant opponent hardly counts, so blocks are counted in
  proportion to their information (Kish).

All priors of the fit count as the block that they represent. So does the prior of an uncertain
anchor: one more independent observation, whose score has the variance that the prior states. With
the games alone in the sandwich, the intervals would treat the prior as exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from damrak_ladder.ratings.curvature import Curvature
from damrak_ladder.ratings.model import PHANTOM_GAMES, TURN_SPREAD, Model, Point
from damrak_ladder.ratings.scale import Floats
from damrak_ladder.ratings.sweep import Layout, Sweep

BORROWED: Final = 5.0
_MOST_LEVERAGE: Final = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The spread of the scores of blocks."""

    matrix: Curvature  # the sum over blocks of score times score
    freedom: Floats  # of each version's standard error
    # By table size: variance of the scores of blocks relative to independent games.
    effects: Mapping[int, float]


def spread_of_scores(model: Model, point: Point, sweeps: list[Sweep], bends: Curvature) -> Spread:
    """Return the spread of the scores of the blocks at the most likely point."""
    versions, shared = model.versions, model.size - model.versions
    matrix = Curvature(
        network=model.network,
        diagonal=np.zeros(versions),
        above=np.zeros(len(model.network)),
        border=np.zeros((versions, shared)),
        corner=np.zeros((shared, shared)),
    )
    own = _freedom(model, sweeps, bends)
    matrix.diagonal += model.prior_precision
    effects = {}
    for number, (layout, one) in enumerate(zip(model.layouts, sweeps, strict=True)):
        effects[layout.seats] = _add_blocks(matrix, model, number, one, bends, own)
    _add_phantom(matrix, point)
    # Only the contribution of the games to an error is estimated (Satterthwaite).
    stated = model.prior_precision / np.where(bends.diagonal > 0, bends.diagonal, 1.0)
    freedom = (own + BORROWED) / np.maximum(1 - stated, 0.1) ** 2
    return Spread(matrix, freedom, effects)


def _freedom(model: Model, sweeps: list[Sweep], bends: Curvature) -> Floats:
    squares = np.zeros(model.versions)
    for layout, one in zip(model.layouts, sweeps, strict=True):
        about = _information(layout, one.pair).ravel()
        squares += np.bincount(layout.version, about * about, model.versions)
    information = bends.diagonal + bends.border[:, 0] - model.prior_precision  # of the games only
    counted = np.zeros(model.versions)
    np.divide(information**2, squares, out=counted, where=squares > 0)
    return np.maximum(counted - 1, 0.0)


def _add_blocks(
    matrix: Curvature,
    model: Model,
    number: int,
    one: Sweep,
    bends: Curvature,
    freedom: Floats,
) -> float:
    """Add the blocks of one table size; return their variance relative to independent games."""
    layout, seats, versions = model.layouts[number], model.layouts[number].seats, model.versions
    version = layout.version
    about = _information(layout, one.pair)
    leverage = np.sum(about / bends.diagonal[version].reshape(about.shape), axis=1)
    leverage = np.minimum(leverage / (seats - 1), _MOST_LEVERAGE)
    raised = 1 / np.sqrt(1 - leverage)
    score = one.score.reshape(about.shape) * raised[:, None]
    turn_score = one.turn_score[:, 1:] * raised[:, None]
    effect = float(np.sum(score * score) / np.sum(about))

    fewest = np.min(freedom[version].reshape(about.shape), axis=1)
    borrowed = BORROWED / (BORROWED + fewest)
    lent = effect * borrowed[:, None]
    strayed = (1 - borrowed[:, None]) * score * score + lent * about
    matrix.diagonal += np.bincount(version, strayed.ravel(), versions)
    spots = model.network.spots[number].reshape(-1, len(layout.pairs))
    for pair, (a, b) in enumerate(layout.pairs):
        both = (1 - borrowed) * score[:, a] * score[:, b] - lent[:, 0] * one.pair[:, pair]
        matrix.above += np.bincount(spots[:, pair], both, minlength=len(model.network))
    start, stop = (at - versions for at in model.turns[number])
    for turn, column in enumerate(range(start, stop)):
        both = (1 - borrowed)[:, None] * score * turn_score[:, turn, None]
        matrix.border[:, column] = np.bincount(version, both.ravel(), versions)
    for i, k in itertools.product(range(seats - 1), repeat=2):
        matrix.corner[start + i, start + k] = np.sum(turn_score[:, i] * turn_score[:, k])
    matrix.corner[range(start, stop), range(start, stop)] += 1 / TURN_SPREAD**2
    return effect


def _information(layout: Layout, pair: Floats) -> Floats:
    """Return the information of each block about each of its players, given all others."""
    about = np.zeros((len(pair), layout.seats))
    for number, (a, b) in enumerate(layout.pairs):
        about[:, a] += pair[:, number]
        about[:, b] += pair[:, number]
    return about


def _add_phantom(result: Curvature, point: Point) -> None:
    """Add the drawn games, each as half a block that is won or lost as a whole."""
    expected = 1 / (1 + np.exp(point.phantom - point.strength))
    spread = PHANTOM_GAMES * ((1 - expected) ** 2 + expected**2)
    result.diagonal += spread
    result.border[:, 0] -= spread
    result.corner[0, 0] += np.sum(spread)
