"""The choice between the native core and the engine."""

from __future__ import annotations

import warnings
from functools import cache

from damrak.env.vectorized.engine import EngineGames
from damrak.env.vectorized.native import NativeGames, NoCore
from damrak.env.vectorized.plan import Arrays, Plan

Games = NativeGames | EngineGames


def games_for(plan: Plan, arrays: Arrays) -> Games:
    """Return games played by the native core, or without it by the engine, with a warning."""
    try:
        return NativeGames(plan, arrays)
    except NoCore as reason:
        warn_once(str(reason))
        return EngineGames(plan, arrays)


@cache
def warn_once(reason: str) -> None:
    """Warn once in a process that games are slow."""
    warnings.warn(
        f"{reason}; games side by side use the engine, which is slower (cure: make compile)",
        RuntimeWarning,
        stacklevel=6,
    )
