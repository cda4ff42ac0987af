"""The worth of a finished game for each seat."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

POINTS: Final = 30.0
"""The lead in points that is worth about three quarters of a win."""


def worth(totals: NDArray[Any], places: NDArray[Any]) -> NDArray[np.float64]:
    """Return the worth of finished games for every seat: half the result, half the lead.

    The arrays have a row per game and a column per seat. The lead makes decisions comparable even
    where they change no result.
    """
    seats = totals.shape[1]
    ahead = (places[:, :, None] < places[:, None, :]).sum(axis=2)
    behind = (places[:, :, None] > places[:, None, :]).sum(axis=2)
    mean_of_others = (totals.sum(axis=1, keepdims=True) - totals) / (seats - 1)
    lead = np.tanh((totals - mean_of_others) / POINTS)
    found: NDArray[np.float64] = 0.5 * (ahead - behind) / (seats - 1) + 0.5 * lead
    return found
