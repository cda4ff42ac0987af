"""The rest of a stage with a table, simulated from what is decided already.

Rounds that are paired already and schedules that do not depend on results are followed; further
rounds of other formats pair neighbours of the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from damrak_ladder.tournaments import formats
from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.formats import StageRules
from damrak_ladder.tournaments.formats.culling import CullingStage
from damrak_ladder.tournaments.formats.plans import culling_stages, round_count
from damrak_ladder.tournaments.formats.schedules import snake
from damrak_ladder.tournaments.log.course import field_of
from damrak_ladder.tournaments.log.state import Stage
from damrak_ladder.tournaments.simulation.games import (
    Floats,
    Integers,
    duel_wins,
    duel_wins_nearly,
    ranking,
    table_points,
)

_LAST: Final = -1.0
"""Points of entrants that are out or have no place."""

_LARGE: Final = 100


def order_of(seen: Disclosed, stage: Stage, drawn: Floats, random: np.random.Generator) -> Integers:
    """Return the columns of the entrants in the order of the table, one row for each run.

    With groups, the firsts come before the seconds, and so on.
    """
    rules = stage.plan.rules
    columns = {entrant: at for at, entrant in enumerate(stage.entrants)}
    if rules.format == "culling":
        return _culling(seen, stage, columns, drawn, random)
    points = np.zeros(drawn.shape)
    _add_played(seen, stage, columns, points, range(seen.played(stage)))
    _play_on(seen, stage, columns, points, drawn, random)
    points[:, _without_place(seen, stage, columns)] = _LAST
    if rules.groups == 1:
        return ranking(points, drawn, random)
    parts = []
    for group in snake(field_of(seen.state, stage), rules.groups):
        at = np.array([columns[one.number] for one in group])
        parts.append(at[ranking(points[:, at], drawn[:, at], random)])
    return _merged(parts, points)


def _merged(parts: Sequence[Integers], points: Floats) -> Integers:
    levels = []
    for place in range(max(part.shape[1] for part in parts)):
        level = np.column_stack([part[:, place] for part in parts if part.shape[1] > place])
        order = np.argsort(-np.take_along_axis(points, level, axis=1), axis=1, kind="stable")
        levels.append(np.take_along_axis(level, order, axis=1))
    return np.concatenate(levels, axis=1)


def _without_place(seen: Disclosed, stage: Stage, columns: Mapping[int, int]) -> list[int]:
    return [
        at
        for one, at in columns.items()
        if not seen.state.is_in(one) or seen.state.entrants[one].is_guest
    ]


def _add_played(
    seen: Disclosed,
    stage: Stage,
    columns: Mapping[int, int],
    points: Floats,
    rounds: range,
) -> None:
    """Add the points of these rounds, which are complete; rounds count from 0."""
    played = seen.course.played(stage)
    for number in rounds:
        for result in played[number]:
            for entrant, share in zip(result.pairing.entrants, result.points, strict=True):
                points[:, columns[entrant]] += float(share)


def _play_on(
    seen: Disclosed,
    stage: Stage,
    columns: Mapping[int, int],
    points: Floats,
    drawn: Floats,
    random: np.random.Generator,
) -> None:
    """Add the points of the rounds that are not complete."""
    rules, field = stage.plan.rules, field_of(seen.state, stage)
    played = seen.course.played(stage)
    for number in range(len(played), round_count(rules, field)):
        if number < len(stage.rounds):
            tables = [one.entrants for one in stage.rounds[number].pairings.values()]
        elif rules.format == "gauntlet":
            tables = _scheduled(seen, stage, number)
        elif rules.format in ("round-robin", "groups") and rules.players == 2:
            if rules.rounds is None:
                _meet_all(rules, points, drawn, _open_meetings(seen, stage, columns), random)
                return
            tables = _scheduled(seen, stage, number)
        else:
            for group in snake(field, rules.groups):
                at = np.array([columns[one.number] for one in group])
                here = points[:, at]
                _neighbours(rules, here, drawn[:, at], random)
                points[:, at] = here
            continue
        for table in tables:
            _meet(rules, points, drawn, [columns[one] for one in table], random)


def _scheduled(seen: Disclosed, stage: Stage, number: int) -> list[tuple[int, ...]]:
    """Return the tables of a round (from 0) whose pairings do not depend on results."""
    field = field_of(seen.state, stage)
    absent = [one for one in stage.entrants if not seen.state.is_in(one)]
    made = formats.pair_round(stage.plan.rules, field, [()] * number, seed="", absent=absent)
    return [] if made is None else [one.entrants for one in made.pairings]


def _open_meetings(seen: Disclosed, stage: Stage, columns: Mapping[int, int]) -> Integers:
    """Return how often each two entrants of a group have still to meet."""
    rules, count = stage.plan.rules, len(columns)
    left = np.zeros((count, count), np.int64)
    for group in snake(field_of(seen.state, stage), rules.groups):
        at = [columns[one.number] for one in group if seen.state.is_in(one.number)]
        left[np.ix_(at, at)] = 2 if rules.double else 1
    for made in stage.rounds:
        for pairing in made.pairings.values():
            at = [columns[one] for one in pairing.entrants if one in columns]
            left[np.ix_(at, at)] -= 1
    return np.maximum(left, 0)


def _culling(
    seen: Disclosed,
    stage: Stage,
    columns: Mapping[int, int],
    drawn: Floats,
    random: np.random.Generator,
) -> Integers:
    """Return the order after a culling; in each run other entrants may be left."""
    rules = stage.plan.rules
    plans = culling_stages(rules, len(stage.entrants))
    rows = np.arange(len(drawn))[:, None]
    alive = np.tile(np.arange(drawn.shape[1]), (len(drawn), 1))
    tail: list[Integers] = []
    begins, out = 0, _without_place(seen, stage, columns)
    for plan in plans:
        tail.insert(0, alive[:, plan.entrants :])
        alive = alive[:, : plan.entrants]
        points = np.zeros(drawn.shape)
        _culling_stage(seen, stage, plan, begins, (columns, points, drawn, alive), random)
        points[:, out] = _LAST
        begins += plan.rounds
        order = ranking(points[rows, alive], drawn[rows, alive], random)
        alive = np.take_along_axis(alive, order, axis=1)
    found: Integers = np.concatenate([alive, *tail], axis=1)
    return found


def _culling_stage(
    seen: Disclosed,
    stage: Stage,
    plan: CullingStage,
    begins: int,
    field: tuple[Mapping[int, int], Floats, Floats, Integers],
    random: np.random.Generator,
) -> None:
    """Add the points of one stage of a culling, whose first round is `begins`."""
    columns, points, drawn, alive = field
    rules = replace(stage.plan.rules, blocks=plan.blocks)
    rows = np.arange(len(drawn))[:, None]
    played = seen.played(stage)
    ends = begins + plan.rounds
    _add_played(seen, stage, columns, points, range(begins, min(played, ends)))
    for number in range(max(begins, played), ends):
        if number < len(stage.rounds):
            for one in stage.rounds[number].pairings.values():
                _meet(rules, points, drawn, [columns[each] for each in one.entrants], random)
            continue
        here = np.zeros(alive.shape)
        _neighbours(rules, here, drawn[rows, alive], random)
        points[rows, alive] += here


def _meet(
    rules: StageRules,
    points: Floats,
    drawn: Floats,
    at: Sequence[int],
    random: np.random.Generator,
) -> None:
    """Add the points of one pairing, the mean share of opponents beaten."""
    if len(at) == 1:
        points[:, at[0]] += 1 if rules.players == 2 else 0.5
    elif len(at) == 2:
        games = 2 * rules.blocks
        wins = duel_wins(drawn[:, at[0]], drawn[:, at[1]], games, random) / games
        points[:, at[0]] += wins
        points[:, at[1]] += 1 - wins
    else:
        games = rules.blocks * len(at)
        points[:, list(at)] += table_points(drawn[:, list(at)], games, random) / (
            games * (len(at) - 1)
        )


def _meet_all(
    rules: StageRules,
    points: Floats,
    drawn: Floats,
    left: Integers,
    random: np.random.Generator,
) -> None:
    """Add the points of all pairings of a round robin that are not paired yet.

    In large fields each share is drawn from the normal distribution with the same mean and variance
    as the games, which is many times faster: a total adds up so many that the difference vanishes.
    """
    is_large = len(left) > _LARGE
    for one, row in enumerate(np.triu(left, 1)):
        others = np.flatnonzero(row)
        games = 2 * rules.blocks * row[others]
        draw = duel_wins_nearly if is_large else duel_wins
        wins = draw(drawn[:, [one]], drawn[:, others], games, random) / (2 * rules.blocks)
        points[:, one] += wins.sum(axis=1)
        points[:, others] += row[others] - wins


def _neighbours(
    rules: StageRules, points: Floats, drawn: Floats, random: np.random.Generator
) -> None:
    """Add the points of a round in which neighbours of the table meet."""
    runs, count = points.shape
    order = np.lexsort((random.random(points.shape), -points), axis=1)
    rows = np.arange(runs)[:, None]
    tables, size = count // rules.players, rules.players
    games = rules.blocks * size
    here = order[:, : tables * size]
    grouped = drawn[rows, here].reshape(runs, tables, size)
    if size == 2:
        wins = duel_wins(grouped[..., 0], grouped[..., 1], games, random)
        beaten = np.stack([wins, games - wins], axis=-1)
    else:
        beaten = table_points(grouped, games, random)
    points[rows, here] += beaten.reshape(runs, -1) / (games * (size - 1))
    points[rows, order[:, tables * size :]] += 0.5
