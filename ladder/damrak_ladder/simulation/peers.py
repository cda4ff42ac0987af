"""Other ratings, as published, updated game by game.

Elo and Glicko-2 are defined for two players: a larger table counts as one game for each pair (in
Elo with K divided by the number of opponents). All bots start in the middle, including anchors.
"""

from __future__ import annotations

import math
from typing import Final, Protocol

import numpy as np

from damrak_ladder.ratings import History
from damrak_ladder.ratings.scale import ELO_PER_LOGIT, Floats

Places = tuple[int, ...]


class Peer(Protocol):
    """A rating that is updated round by round."""

    def learn(self, news: History) -> None:
        """Update the rating from these blocks."""

    def expects(self, one: int, other: int) -> float:
        """Return the expected score of one bot against another."""

    @property
    def strengths(self) -> Floats:
        """The strengths, on the rating's own scale."""

    @property
    def errors(self) -> Floats | None:
        """The errors on the same scale; None if the rating has none."""


def games_of(news: History) -> list[tuple[tuple[int, ...], Places]]:
    """Return the games, each as players and places."""
    games: list[tuple[tuple[int, ...], Places]] = []
    for table in news.tables.values():
        players = table.players[table.block].tolist()
        games += [
            (tuple(who), tuple(places))
            for who, places in zip(players, table.places.tolist(), strict=True)
        ]
    return games


def points(own: int, other: int) -> float:
    """Return the score of a place against another one."""
    return 1.0 if own < other else 0.5 if own == other else 0.0


class Elo:
    """The Elo rating: R += K (score - expected score)."""

    def __init__(self, bots: int, k: float) -> None:
        self._elo = [1500.0] * bots
        self._k = k

    def learn(self, news: History) -> None:
        """Update the ratings game by game."""
        elo = self._elo
        for players, places in games_of(news):
            k = self._k / (len(players) - 1)
            gains = [
                sum(
                    points(places[a], places[b]) - self.expects(players[a], players[b])
                    for b in range(len(players))
                    if b != a
                )
                for a in range(len(players))
            ]
            for player, gain in zip(players, gains, strict=True):
                elo[player] += k * gain

    def expects(self, one: int, other: int) -> float:
        """Return the expected score by the logistic curve."""
        return 1 / (1 + math.exp((self._elo[other] - self._elo[one]) / ELO_PER_LOGIT))

    @property
    def strengths(self) -> Floats:
        """The Elo of every bot."""
        return np.array(self._elo)

    @property
    def errors(self) -> None:
        """None, because Elo has no errors."""
        return


_TAU: Final = 0.5
_START_RD: Final = 350.0
_START_VOLATILITY: Final = 0.06
_CLOSE: Final = 1e-6


class Glicko2:
    """Glickman's Glicko-2 ("Example of the Glicko-2 system"); a round is a rating period."""

    def __init__(self, bots: int) -> None:
        self._mu = np.zeros(bots)
        self._phi = np.full(bots, _START_RD / ELO_PER_LOGIT)
        self._sigma = np.full(bots, _START_VOLATILITY)

    def learn(self, news: History) -> None:
        """Update the ratings from all games of the round together."""
        bots = len(self._mu)
        information, gain = np.zeros(bots), np.zeros(bots)
        for table in news.tables.values():
            players = table.players[table.block]
            for a in range(table.seats):
                for b in range(table.seats):
                    if a == b:
                        continue
                    one, other = players[:, a], players[:, b]
                    g = _damping(self._phi[other])
                    expected = 1 / (1 + np.exp(-g * (self._mu[one] - self._mu[other])))
                    own, rival = table.places[:, a], table.places[:, b]
                    score = (own < rival) + 0.5 * (own == rival)
                    information += np.bincount(one, g * g * expected * (1 - expected), bots)
                    gain += np.bincount(one, g * (score - expected), bots)
        played = information > 0
        variance = 1 / np.where(played, information, 1.0)
        delta = variance * gain
        for at in np.flatnonzero(played):
            self._sigma[at] = _volatility(
                float(self._sigma[at]), float(self._phi[at]), float(variance[at]), float(delta[at])
            )
        widened = np.sqrt(self._phi**2 + self._sigma**2)
        phi = 1 / np.sqrt(1 / widened**2 + np.where(played, information, 0.0))
        self._mu += np.where(played, phi**2 * gain, 0.0)
        self._phi = np.minimum(np.where(played, phi, widened), _START_RD / ELO_PER_LOGIT)

    def expects(self, one: int, other: int) -> float:
        """Return the expected score, including both deviations."""
        spread = float(_damping(np.hypot(self._phi[one], self._phi[other])))
        return 1 / (1 + math.exp(-spread * float(self._mu[one] - self._mu[other])))

    @property
    def strengths(self) -> Floats:
        """The ratings on the Elo scale."""
        return 1500 + ELO_PER_LOGIT * self._mu

    @property
    def errors(self) -> Floats:
        """The rating deviations."""
        return ELO_PER_LOGIT * self._phi


def _damping(phi: Floats) -> Floats:
    return np.asarray(1 / np.sqrt(1 + 3 * phi * phi / math.pi**2))


def _volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Return the new volatility: step 5, by the Illinois algorithm."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        power = math.exp(x)
        whole = phi * phi + variance + power
        return power * (delta * delta - whole) / (2 * whole * whole) - (x - a) / _TAU**2

    low = a
    if delta * delta > phi * phi + variance:
        high = math.log(delta * delta - phi * phi - variance)
    else:
        step = 1
        while f(a - step * _TAU) < 0:
            step += 1
        high = a - step * _TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _CLOSE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
