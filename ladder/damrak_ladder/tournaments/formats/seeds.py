"""Seeds: at the start of a tournament, and of entrants that qualify for the next stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from damrak_ladder.standings.fit.knockout import seeding
from damrak_ladder.tournaments.formats.brackets import doublings
from damrak_ladder.tournaments.formats.history import by_seed
from damrak_ladder.tournaments.formats.randomness import generator
from damrak_ladder.tournaments.formats.rules import KNOCKOUTS, StageRules
from damrak_ladder.tournaments.formats.values import Entrant, FormatError, Row

SEEDINGS: Final = ("rating", "last", "given", "lot")


def seed_entrants(
    entrants: Iterable[Entrant], how: str, *, seed: bytes | str = "", last: Sequence[int] = ()
) -> tuple[Entrant, ...]:
    """Returns the entrants with seeds 1, 2, 3, …

    `how` is "rating" (unrated ones last), "last" (the order of the last table, newcomers last),
    "given" (the seeds that they have) or "lot" (drawn from the published seed).

    Raises:
        FormatError: `how` is unknown.
    """
    order = by_seed(entrants)
    if how == "rating":
        order.sort(key=lambda it: (it.rating is None, -(it.rating or 0), it.seed))
    elif how == "last":
        places = {number: at for at, number in enumerate(last)}
        order.sort(key=lambda it: (places.get(it.number, len(places)), it.seed))
    elif how == "lot":
        generator(seed, "seeds").shuffle(order)
    elif how != "given":
        raise FormatError(f"seeding: {how!r} is unknown; choose {', '.join(SEEDINGS)}")
    return tuple(replace(it, seed=at) for at, it in enumerate(order, 1))


def advance(
    rules: StageRules,
    entrants: Iterable[Entrant],
    rows: Sequence[Row],
    next_rules: StageRules | None = None,
) -> tuple[Entrant, ...]:
    """Returns the entrants that qualify for the next stage, with new seeds.

    The first `advance` of each group qualify: first all winners of groups by points, then all
    seconds, and so on. If the next stage is a knockout, seeds of one level are exchanged so that
    entrants of one group meet as late as possible. Guests do not qualify.
    """
    known = {entrant.number: entrant for entrant in entrants}
    groups: dict[int, list[Row]] = {}
    for row in rows:
        if row.place is not None:
            groups.setdefault(row.group, []).append(row)
    count = rules.advance or max(map(len, groups.values()), default=0)
    levels = [
        sorted(
            (group[at] for group in groups.values() if at < len(group)),
            key=lambda row: (-_mean(row), known[row.number].seed),
        )
        for at in range(count)
    ]
    is_bracket = next_rules is not None and next_rules.format in KNOCKOUTS
    if is_bracket and len(groups) > 1:
        levels = _crossed([level for level in levels if level])
    order = [known[row.number] for level in levels for row in level]
    return tuple(replace(it, seed=at) for at, it in enumerate(order, 1))


def _mean(row: Row) -> float:
    return float(row.points) / max(1, row.played + row.byes)


def _crossed(levels: list[list[Row]]) -> list[list[Row]]:
    """Returns the levels, each in the order that keeps entrants of one group apart the longest.

    Each level is an exact assignment of its entrants to its seeds: first late meetings with those
    of the same group above, then the smallest change of seeds.
    """
    # Loading it takes 0.2 s, and every process of the platform loads this module.
    from scipy.optimize import linear_sum_assignment

    total = sum(map(len, levels))
    position = _positions(total)
    placed: list[Row] = []
    for level in levels:
        first = len(placed)
        size = len(level)
        cost = np.zeros((size, size))
        for at, row in enumerate(level):
            for seed in range(size):
                meets = [
                    _closeness(position[first + seed], position[above], doublings(total))
                    for above, other in enumerate(placed)
                    if other.group == row.group
                ]
                cost[at, seed] = (
                    10_000 * sum(100.0 ** min(it, 5) for it in meets) + (at - seed) ** 2
                )
        rows, seeds = linear_sum_assignment(cost)
        by_place = sorted(zip(seeds, rows, strict=True))
        placed += [level[at] for _, at in by_place]
    found, at = [], 0
    for level in levels:
        found.append(placed[at : at + len(level)])
        at += len(level)
    return found


def _positions(count: int) -> list[int]:
    """Returns the position in the bracket of each seed."""
    order = seeding(2 ** doublings(count))
    found = [0] * len(order)
    for at, seed in enumerate(order):
        found[seed] = at
    return found


def _closeness(one: int, other: int, size: int) -> int:
    """Returns 0 if two positions meet in the final at the earliest, else more the earlier."""
    return size - (one ^ other).bit_length()
