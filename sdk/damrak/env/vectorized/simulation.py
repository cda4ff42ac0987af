"""Whole games at once, for search and statistics: no observations, only results.

`simulate` plays games from the deal, `rollouts` from given states. Both use the native core if it
is there; `damrak_engine` remains the authority on the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from damrak.env.vectorized.backend import games_for
from damrak.env.vectorized.conversion import checked_state
from damrak.env.vectorized.plan import Control, Plan, arrays_for
from damrak_engine.rules import Rules
from damrak_engine.state import State

POLICIES: Final = {"random": Control.RANDOM, "greedy": Control.GREEDY}


@dataclass(frozen=True, slots=True)
class Results:
    """Totals and places of games, whose last axis is the seat, and the number of all actions."""

    totals: NDArray[np.int32]
    places: NDArray[np.int32]
    actions: int


def simulate(
    rules: Rules, number: int, *, policy: str = "random", seed: int = 0, threads: int = 1
) -> Results:
    """Play games from the deal with one policy in all seats.

    Raises:
        ValueError: there is no such policy, or a number is not positive.
    """
    return _play(rules, number, (), policy, seed, threads)


def rollouts(
    states: Sequence[State],
    number: int = 1,
    *,
    policy: str = "random",
    seed: int = 0,
    threads: int = 1,
) -> Results:
    """Play each of these states to its end `number` times; the axes are state, game and seat.

    All states have the same rules, and are complete, as `View.determinize()` returns them.

    Raises:
        ValueError: a state is over or of another game, or there is no such policy.
    """
    if not states:
        raise ValueError("expected at least one state")
    rules = states[0].rules
    states = [checked_state(rules, state) for state in states]
    results = _play(rules, len(states) * _positive(number), states, policy, seed, threads)
    shape = (len(states), number, rules.seats)
    totals, places = results.totals.reshape(shape), results.places.reshape(shape)
    return Results(totals, places, results.actions)


def _play(
    rules: Rules, number: int, states: Sequence[State], policy: str, seed: int, threads: int
) -> Results:
    if policy not in POLICIES:
        raise ValueError(f"no policy {policy!r}; there are: {', '.join(POLICIES)}")
    control = (POLICIES[policy],) * rules.seats
    plan = Plan(
        rules=rules,
        rows=_positive(number),
        learner=0,
        control=control,
        threads=_positive(threads),
        is_logged=False,
    )
    arrays = arrays_for(plan, bare=True)
    games = games_for(plan, arrays)
    arrays.seeds.fill(seed)
    each = number // len(states) if states else 0
    for i, state in enumerate(states):
        games.load(range(i * each, (i + 1) * each), state, 0)
    arrays.select.fill(1)
    if states:
        games.resume()
    else:
        games.deal()
    games.close()
    totals, places = arrays.outcomes[:, :, 0], arrays.outcomes[:, :, 1]
    return Results(totals, places, int(games.logged.sum()))


def _positive(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValueError(f"expected a positive whole number, not {number!r}")
    return int(number)
