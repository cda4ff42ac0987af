"""TrueSkill for tables of single players, after Herbrich, Minka and Graepel (2006).

The package of that name has not been maintained since 2018 and emits warnings on current Python
versions, so its few formulae are implemented here: performances are normal around the skills,
neighbours in the order of finish differ by more than a margin (or less, if they share a place), and
messages are passed up and down the chain of these differences until they converge.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from scipy.special import ndtri

from damrak_ladder.ratings import History
from damrak_ladder.ratings.scale import Floats
from damrak_ladder.simulation.peers import Places, games_of

MU: Final = 25.0
SIGMA: Final = MU / 3
BETA: Final = SIGMA / 2
TAU: Final = SIGMA / 100
DRAWN: Final = 0.1  # expected share of neighbours who share a place
_CLOSE: Final = 1e-5
_MOST_ROUNDS: Final = 12

_MARGIN: Final = float(ndtri((DRAWN + 1) / 2)) * math.sqrt(2) * BETA


class TrueSkill:
    """TrueSkill with the parameters of the paper."""

    def __init__(self, bots: int) -> None:
        self._mu = [MU] * bots
        self._variance = [SIGMA * SIGMA] * bots

    def learn(self, news: History) -> None:
        """Update the ratings game by game."""
        for players, places in games_of(news):
            skills = [(self._mu[one], self._variance[one]) for one in players]
            for one, (mu, variance) in zip(players, rated(skills, places), strict=True):
                self._mu[one], self._variance[one] = mu, variance

    def expects(self, one: int, other: int) -> float:
        """Return the probability of the better performance."""
        spread = math.sqrt(2 * BETA * BETA + self._variance[one] + self._variance[other])
        return _below((self._mu[one] - self._mu[other]) / spread)

    @property
    def strengths(self) -> Floats:
        """The means of the skills."""
        return np.array(self._mu)

    @property
    def errors(self) -> Floats:
        """The standard deviations of the skills."""
        return np.asarray(np.sqrt(np.array(self._variance)))


def rated(skills: list[tuple[float, float]], places: Places) -> list[tuple[float, float]]:
    """Return the skills, as mean and variance, after one game."""
    order = sorted(range(len(skills)), key=lambda at: places[at])
    prior = [(skills[at][0], skills[at][1] + TAU * TAU) for at in order]
    # The messages to each performance from its prior skill (precision, precision times mean) ...
    base = [(1 / (variance + BETA * BETA), mu / (variance + BETA * BETA)) for mu, variance in prior]
    pairs = len(order) - 1
    tied = [places[order[at]] == places[order[at + 1]] for at in range(pairs)]
    # ... from the difference to the one above, and from the difference to the one below.
    from_above = [(0.0, 0.0)] * len(order)
    from_below = [(0.0, 0.0)] * len(order)
    message = [(0.0, 0.0)] * pairs  # from the factor "win" (or "tie") to the difference
    for _ in range(_MOST_ROUNDS):
        change = 0.0
        for at in [*range(pairs), *range(pairs - 2, 0, -1)]:
            upper = _mean(_sum(base[at], from_above[at]))
            lower = _mean(_sum(base[at + 1], from_below[at + 1]))
            mean, variance = upper[0] - lower[0], upper[1] + lower[1]
            new = _truncated(mean, variance, tied[at])
            change = max(change, abs(new[0] - message[at][0]), abs(new[1] - message[at][1]))
            message[at] = new
            from_below[at] = _shifted(new, lower, 1.0)
            from_above[at + 1] = _shifted(new, upper, -1.0)
        if pairs == 1 or change < _CLOSE:
            break
    result = [(0.0, 0.0)] * len(order)
    for at, (mu, variance) in enumerate(prior):
        told, weighted = _sum(from_above[at], from_below[at])
        if told:
            noise = 1 / told + BETA * BETA
            precision = 1 / variance + 1 / noise
            mean = (mu / variance + weighted / told / noise) / precision
            result[order[at]] = (mean, 1 / precision)
        else:
            result[order[at]] = (mu, variance)
    return result


def _sum(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] + other[0], one[1] + other[1]


def _mean(message: tuple[float, float]) -> tuple[float, float]:
    return message[1] / message[0], 1 / message[0]


def _shifted(
    message: tuple[float, float], other: tuple[float, float], sign: float
) -> tuple[float, float]:
    """Return the message from a difference to one end, given the other end."""
    if message[0] <= 0:
        return 0.0, 0.0
    mean, variance = message[1] / message[0], 1 / message[0]
    precision = 1 / (variance + other[1])
    return precision, precision * (other[0] + sign * mean)


def _truncated(mean: float, variance: float, is_tied: bool) -> tuple[float, float]:
    """Return the message of a difference that was above the margin, or within it."""
    spread = math.sqrt(variance)
    t, margin = mean / spread, _MARGIN / spread
    v, w = _tied(t, margin) if is_tied else _won(t - margin)
    w = min(max(w, 1e-9), 1 - 1e-9)
    precision = 1 / (variance * (1 - w))
    weighted = precision * (mean + spread * v)
    return precision - 1 / variance, weighted - mean / variance


def _won(x: float) -> tuple[float, float]:
    below = _below(x)
    v = _density(x) / below if below > 1e-300 else -x
    return v, v * (v + x)


def _tied(t: float, margin: float) -> tuple[float, float]:
    far, near = margin - abs(t), -margin - abs(t)
    inside = _below(far) - _below(near)
    if inside < 1e-300:
        return (-t - math.copysign(margin, -t)), 1.0
    v = (_density(near) - _density(far)) / inside
    w = v * v + (far * _density(far) - near * _density(near)) / inside
    return math.copysign(1.0, t) * v, w


def _below(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
