"""OpenSkill's Plackett-Luce, from the library of that name; an extra that may be absent."""

from __future__ import annotations

from typing import Any

import numpy as np

from damrak_ladder.ratings import History
from damrak_ladder.ratings.scale import Floats
from damrak_ladder.simulate.peers import games_of


def is_installed() -> bool:
    """Whether the library is there."""
    try:
        import openskill.models  # type: ignore[import-not-found, unused-ignore] # noqa: F401
    except ImportError:
        return False
    return True


class OpenSkill:
    """With the library's own parameters."""

    def __init__(self, bots: int) -> None:
        from openskill.models import PlackettLuce

        self._model: Any = PlackettLuce()
        self._ratings: list[Any] = [self._model.rating() for _ in range(bots)]

    def learn(self, news: History) -> None:
        """Game by game."""
        for players, places in games_of(news):
            teams = [[self._ratings[one]] for one in players]
            after = self._model.rate(teams, ranks=list(places))
            for one, (rating,) in zip(players, after, strict=True):
                self._ratings[one] = rating

    def expects(self, one: int, other: int) -> float:
        """What the library predicts for a game of two."""
        first, _ = self._model.predict_win([[self._ratings[one]], [self._ratings[other]]])
        return float(first)

    @property
    def strengths(self) -> Floats:
        """Mu."""
        return np.array([rating.mu for rating in self._ratings])

    @property
    def errors(self) -> Floats:
        """Sigma."""
        return np.array([rating.sigma for rating in self._ratings])
