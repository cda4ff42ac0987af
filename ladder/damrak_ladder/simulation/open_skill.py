"""OpenSkill's Plackett-Luce model, from the library openskill, which is optional."""

from __future__ import annotations

from typing import Any

import numpy as np

from damrak_ladder.ratings import History
from damrak_ladder.ratings.scale import Floats
from damrak_ladder.simulation.peers import games_of


def is_installed() -> bool:
    """Return whether the library is installed."""
    try:
        import openskill.models  # type: ignore[import-not-found, unused-ignore] # noqa: F401
    except ImportError:
        return False
    return True


class OpenSkill:
    """OpenSkill with the default parameters of the library."""

    def __init__(self, bots: int) -> None:
        from openskill.models import PlackettLuce

        self._model: Any = PlackettLuce()
        self._ratings: list[Any] = [self._model.rating() for _ in range(bots)]

    def learn(self, news: History) -> None:
        """Update the ratings game by game."""
        for players, places in games_of(news):
            teams = [[self._ratings[one]] for one in players]
            after = self._model.rate(teams, ranks=list(places))
            for one, (rating,) in zip(players, after, strict=True):
                self._ratings[one] = rating

    def expects(self, one: int, other: int) -> float:
        """Return the library's prediction for a game of two players."""
        first, _ = self._model.predict_win([[self._ratings[one]], [self._ratings[other]]])
        return float(first)

    @property
    def strengths(self) -> Floats:
        """The means (mu)."""
        return np.array([rating.mu for rating in self._ratings])

    @property
    def errors(self) -> Floats:
        """The standard deviations (sigma)."""
        return np.array([rating.sigma for rating in self._ratings])
