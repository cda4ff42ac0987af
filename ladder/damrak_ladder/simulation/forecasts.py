"""The calibration of the forecasts about the leaders, in worlds of known strength.

In each world many short seasons are played and fitted as on a real ladder. Every probability that
the ladder would show (of being the strongest, and of winning each round of a knockout of the first
eight) is compared with the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from damrak_ladder.ratings import Scale, first_probability, posterior, rate
from damrak_ladder.ratings.scale import Floats
from damrak_ladder.simulation.pairing import RandomPairing, Standing
from damrak_ladder.simulation.side_by_side import Progress, side_by_side
from damrak_ladder.simulation.world import world_of
from damrak_ladder.standings.fit.knockout import DRAWS, forecast

BOTS: Final = 24
SEASONS: Final = 4000
_BRACKET: Final = 8
_A_TIME: Final = 25  # seasons per piece of work
_STEP: Final = 0.2  # width of a bin
_ERROR: Final = 0.01  # the largest Monte-Carlo error of a bin
_HIGH: Final = (0.2, 0.5)
_IDENTICAL: Final = 1e-6  # Elo; with a spread of 0 no bot is the strongest
_STATEMENTS: Final = ("first", "knockout")


@dataclass(frozen=True, slots=True)
class Trial:
    """A world: the spread of strengths in Elo, and the number of blocks of a season."""

    name: str
    spread: float
    blocks: int


WORLDS: Final = (
    Trial("SD 200, 120 blocks", 200.0, 120),
    Trial("SD 200, 400 blocks", 200.0, 400),
    Trial("SD 60, 120 blocks", 60.0, 120),
    Trial("SD 40, 72 blocks", 40.0, 72),
    Trial("identical, 120 blocks", _IDENTICAL, 120),
)

Figures = dict[str, Floats]
"""Arrays of seasons x figures x (shown, true), by statement."""


def calibration(seed: int, seasons: int, progress: Progress) -> list[dict[str, Any]]:
    """Return the calibration table of each world."""
    pieces = [
        (world, seed, start, min(start + _A_TIME, seasons))
        for world in WORLDS
        for start in range(0, seasons, _A_TIME)
    ]
    found: dict[str, list[Figures]] = {world.name: [] for world in WORLDS}
    with side_by_side(len(pieces), WORLDS[0].blocks * _A_TIME) as run:
        progress(0, len(pieces))
        for number, (piece, figures) in enumerate(zip(pieces, run(_play, pieces), strict=True)):
            found[piece[0].name].append(figures)
            progress(number + 1, len(pieces))
    return [_table(world, found[world.name]) for world in WORLDS]


def _table(world: Trial, pieces: Sequence[Figures]) -> dict[str, Any]:
    figures = {name: np.concatenate([piece[name] for piece in pieces]) for name in _STATEMENTS}
    first = figures["first"][:, :, 0]
    return {
        "world": world.name,
        "bots": BOTS,
        "spread": 0.0 if world.spread == _IDENTICAL else world.spread,
        "blocks": world.blocks,
        "seasons": len(first),
        "bins": [
            {"statement": name, **one} for name in _STATEMENTS for one in bins_of(figures[name])
        ],
        "first_above": {str(limit): int(np.count_nonzero(first >= limit)) for limit in _HIGH},
    }


def bins_of(figures: Floats, error: float = _ERROR) -> list[dict[str, float]]:
    """Sort figures into bins of 20 points, and compare the shown values with the true ones.

    From the top down, a bin is merged with the next one until the Monte-Carlo error of a calibrated
    bin is at most `error`. If there are too few figures in total, there is one bin.
    """
    shown, true = figures[:, :, 0], figures[:, :, 1]
    number_of_bins = round(1 / _STEP)
    at = np.minimum((shown / _STEP).astype(int), number_of_bins - 1)
    result: list[dict[str, float]] = []
    upper, inside = 1.0, np.zeros(shown.shape, dtype=bool)
    for number in reversed(range(number_of_bins)):
        inside |= at == number
        mean = float(np.mean(shown[inside])) if inside.any() else 0.0
        few = mean * (1 - mean) > error**2 * np.count_nonzero(inside)
        if number and (few or not inside.any()):
            continue
        if inside.any():
            result.append(_bin(number * _STEP, upper, shown, true, inside))
        upper, inside = number * _STEP, np.zeros(shown.shape, dtype=bool)
    return result[::-1]


def _bin(
    lower: float, upper: float, shown: Floats, true: Floats, inside: np.ndarray[Any, Any]
) -> dict[str, float]:
    n = int(np.count_nonzero(inside))
    mean = float(np.mean(true[inside]))
    # The figures of one season depend on each other, so the unit is the season.
    strayed = np.sum(np.where(inside, true - mean, 0.0), axis=1)
    return {
        "from": round(lower, 2),
        "to": round(upper, 2),
        "shown": round(float(np.mean(shown[inside])), 4),
        "true": round(mean, 4),
        "error": round(float(np.sqrt(np.sum(strayed**2))) / n, 4),
        "n": n,
    }


def _play(piece: tuple[Trial, int, int, int]) -> Figures:
    world, seed, start, stop = piece
    seasons = [_season(world, seed, number) for number in range(start, stop)]
    return {name: np.array([season[name] for season in seasons]) for name in _STATEMENTS}


def _season(trial: Trial, seed: int, number: int) -> dict[str, Floats]:
    """Return the figures that the ladder would show after a season, each with the true value."""
    luck = seed + 1_000_003 * number
    world = world_of(BOTS, luck, spread=trial.spread)
    known = Standing(world.elo, np.zeros(BOTS), np.zeros(BOTS, dtype=bool))
    tables = RandomPairing(BOTS, luck).tables(known, trial.blocks)
    anchor = int(np.argsort(world.elo, kind="stable")[BOTS // 2])
    scale = Scale({anchor: float(world.elo[anchor])})
    ratings = rate(world.play(tables, np.random.default_rng([luck, 7])), BOTS, scale)
    everyone = np.arange(BOTS, dtype=np.int32)
    field = posterior(ratings, everyone)
    order = np.argsort(-ratings.elo, kind="stable").astype(np.int32)
    best = world.elo == np.max(world.elo) if trial.spread > _IDENTICAL else np.ones(BOTS)
    seeds = order[:_BRACKET]
    return {
        "first": _pairs(first_probability(field, everyone), best / np.sum(best)),
        "knockout": _pairs(
            forecast(np.round(field.draw(seeds, DRAWS))).past,
            forecast(world.elo[None, seeds]).past,
        ),
    }


def _pairs(shown: Iterable[Any], true: Iterable[Any]) -> Floats:
    return np.stack([np.ravel(np.array(shown)), np.ravel(np.array(true))], axis=1)
