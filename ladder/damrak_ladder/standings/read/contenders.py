"""The drawn strengths of the top of a ladder, for forecasts of duels."""

from __future__ import annotations

from typing import Final

import numpy as np

from damrak_ladder.matches.models import Ladder
from damrak_ladder.ratings.scale import Floats
from damrak_ladder.standings.models import Contenders

DUEL: Final = 2  # players at a table


def duel_seats(ladder: Ladder) -> int | None:
    """Return the table size whose ratings predict duels: two players.

    Return None, for tables of all sizes, if the ladder has no two-player tables.
    """
    return DUEL if ladder.shares.get(str(DUEL)) else None


def draws_of(ladder: Ladder, seats: int) -> dict[int, Floats]:
    """Return draws of the strengths of the top versions of the latest fit, by version."""
    found = Contenders.objects.filter(ladder=ladder, seats=seats).first()
    if found is None or not found.versions:
        return {}
    strengths = np.frombuffer(bytes(found.strengths), dtype="<i2").astype(np.float64)
    return dict(zip(found.versions, strengths.reshape(-1, len(found.versions)).T, strict=True))
