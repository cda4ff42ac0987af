"""Simulated formats that play rounds and add up points.

Swiss rounds pair neighbours of the ranking that have not met; tables are the ranking, cut. The real
seating also avoids rematches at tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from damrak_ladder.tournaments.formats import Entrant, StageRules, schedules
from damrak_ladder.tournaments.formats.culling import CullingStage
from damrak_ladder.tournaments.formats.plans import blocks_of_round, culling_stages, round_count
from damrak_ladder.tournaments.formats.schedules import snake
from damrak_ladder.tournaments.formats.tables import table_sizes
from damrak_ladder.tournaments.simulation.games import (
    Floats,
    Integers,
    duel_wins,
    ranking,
    table_points,
)
from damrak_ladder.tournaments.simulation.runs import Runs

Order = Callable[[Floats, int], Integers]


def round_robin(rules: StageRules, strengths: Floats, random: np.random.Generator) -> Runs:
    """Returns runs in which all entrants of a group meet; groups are merged place by place."""
    runs, count = strengths.shape
    entrants = [Entrant(at + 1, at + 1) for at in range(count)]
    tables: list[Integers] = []
    pairings = 0
    share = np.zeros((runs, count))
    for group in snake(entrants, rules.groups):
        columns = np.array([it.seed - 1 for it in group])
        one, other = np.triu_indices(len(columns), 1)
        games = 2 * rules.blocks * (2 if rules.double else 1)
        wins = duel_wins(strengths[:, columns[one]], strengths[:, columns[other]], games, random)
        points = np.zeros((runs, len(columns)))
        for column in range(len(columns)):
            won = wins[:, one == column].sum(axis=1)
            points[:, column] = won + (games - wins[:, other == column]).sum(axis=1)
        tables.append(columns[ranking(points, strengths[:, columns], random)])
        share[:, columns] = points / max(1, len(columns) - 1)
        pairings += len(one) * (2 if rules.double else 1)
    blocks = np.full(runs, pairings * rules.blocks, np.int64)
    return Runs(_merged(tables, share), blocks, 2 * blocks)


def _merged(tables: Sequence[Integers], share: Floats) -> Integers:
    """Returns one ranking: all firsts by points, then all seconds, and so on."""
    if len(tables) == 1:
        return tables[0]
    levels = []
    for place in range(max(table.shape[1] for table in tables)):
        level = np.column_stack([it[:, place] for it in tables if it.shape[1] > place])
        order = np.argsort(-np.take_along_axis(share, level, axis=1), axis=1, kind="stable")
        levels.append(np.take_along_axis(level, order, axis=1))
    return np.concatenate(levels, axis=1)


def swiss(rules: StageRules, strengths: Floats, random: np.random.Generator) -> Runs:
    """Returns runs of a Swiss for two."""
    runs, count = strengths.shape
    games = 2 * rules.blocks
    points = np.zeros((runs, count))
    met = np.zeros((runs, count, count), bool)
    byes = np.zeros((runs, count), bool)
    rows = np.arange(runs)
    rounds = round_count(rules, [Entrant(at + 1, at + 1) for at in range(count)])
    for number in range(rounds):
        order = _level_order(points, random) if number else _halves(runs, count)
        if count % 2:
            order, left = _without_bye(order, byes)
            byes[rows, left] = True
            points[rows, left] += games
        for one, other in _neighbours(order, met):
            wins = duel_wins(strengths[rows, one], strengths[rows, other], games, random)
            points[rows, one] += wins
            points[rows, other] += games - wins
            met[rows, one, other] = met[rows, other, one] = True
    blocks = np.full(runs, rounds * (count // 2) * rules.blocks, np.int64)
    return Runs(ranking(points, strengths, random), blocks, 2 * blocks)


def _level_order(points: Floats, random: np.random.Generator) -> Integers:
    """Returns the columns by points, in random order where these are equal."""
    return np.lexsort((random.random(points.shape), -points), axis=1).astype(np.int64)


def _halves(runs: int, count: int) -> Integers:
    """Returns the order of the first round: top half against bottom half."""
    half = count // 2
    order = [it for at in range(half) for it in (at, at + half)] + [count - 1] * (count % 2)
    return np.tile(np.array(order, np.int64), (runs, 1))


def _without_bye(order: Integers, byes: npt.NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """Returns the order without the last entrant that had no bye, and that entrant."""
    had = np.take_along_axis(byes, order, axis=1)[:, ::-1]
    at = order.shape[1] - 1 - np.argmin(had, axis=1)
    rows = np.arange(len(order))
    left = order[rows, at]
    kept = np.ones(order.shape, bool)
    kept[rows, at] = False
    return order[kept].reshape(len(order), -1), left


def _neighbours(order: Integers, met: npt.NDArray[np.bool_]) -> list[tuple[Integers, Integers]]:
    """Returns pairs from the top: each with the next one that it has not met."""
    runs, count = order.shape
    rows = np.arange(runs)
    free = np.ones((runs, count), bool)
    found = []
    for _ in range(count // 2):
        first = np.argmax(free, axis=1)
        free[rows, first] = False
        one = order[rows, first]
        fresh = free & ~met[rows[:, None], one[:, None], order]
        second = np.where(fresh.any(axis=1), np.argmax(fresh, axis=1), np.argmax(free, axis=1))
        free[rows, second] = False
        found.append((one, order[rows, second]))
    return found


def swiss_tables(rules: StageRules, strengths: Floats, random: np.random.Generator) -> Runs:
    """Returns runs of a Swiss at tables of 3 or 4."""
    runs, count = strengths.shape
    points = np.zeros((runs, count))
    sizes = table_sizes(count, rules.players)
    rounds = round_count(rules, [Entrant(at + 1, at + 1) for at in range(count)])
    for number in range(rounds):
        if number:
            order = _level_order(points, random)
        else:
            first = [at for start in range(len(sizes)) for at in range(start, count, len(sizes))]
            order = np.tile(np.array(first, np.int64), (runs, 1))
        points += _table_round(order, sizes, strengths, rules.blocks, random)
    blocks = np.full(runs, rounds * len(sizes) * rules.blocks, np.int64)
    games = np.full(runs, rounds * count * rules.blocks, np.int64)
    return Runs(ranking(points, strengths, random), blocks, games)


def _table_round(
    order: Integers,
    sizes: Sequence[int],
    strengths: Floats,
    blocks: int,
    random: np.random.Generator,
) -> Floats:
    """Returns mean shares of opponents beaten in one round, by column."""
    points = np.zeros(strengths.shape)
    rows = np.arange(len(order))[:, None]
    at = 0
    for size in sorted(set(sizes), reverse=True):
        number = sizes.count(size)
        entrants = order[:, at : at + number * size]
        at += number * size
        if size == 1:
            points[rows, entrants] = 0.5
            continue
        grouped = strengths[rows, entrants].reshape(len(order), number, size)
        games = blocks * size
        if size == 2:
            wins = duel_wins(grouped[..., 0], grouped[..., 1], games, random)
            beaten = np.stack([wins, games - wins], axis=-1)
        else:
            beaten = table_points(grouped, games, random)
        points[rows, entrants] = beaten.reshape(len(order), -1) / (games * (size - 1))
    return points


def drawn_rounds(rules: StageRules, strengths: Floats, random: np.random.Generator) -> Runs:
    """Returns runs in which all of a group play the same number of rounds at drawn tables."""
    runs, count = strengths.shape
    entrants = [Entrant(at + 1, at + 1) for at in range(count)]
    rounds = round_count(rules, entrants)
    tables: list[Integers] = []
    share = np.zeros((runs, count))
    blocks = games = 0
    for group in snake(entrants, rules.groups):
        columns = np.array([it.seed - 1 for it in group])
        stage = CullingStage(
            len(columns), rounds, rules.blocks, len(_sizes(len(columns), rules.players))
        )
        here = strengths[:, columns]
        points, more_blocks, more_games = _drawn_stage(rules, stage, here, random)
        blocks, games = blocks + more_blocks, games + more_games
        tables.append(columns[ranking(points, here, random)])
        share[:, columns] = points
    return Runs(
        _merged(tables, share), np.full(runs, blocks, np.int64), np.full(runs, games, np.int64)
    )


def _sizes(count: int, players: int) -> list[int]:
    if players == 2:
        return [2] * (count // 2) + [1] * (count % 2)
    return table_sizes(count, players)


def _drawn_stage(
    rules: StageRules, stage: CullingStage, strengths: Floats, random: np.random.Generator
) -> tuple[Floats, int, int]:
    sizes = _sizes(strengths.shape[1], rules.players)
    points = np.zeros(strengths.shape)
    for _ in range(stage.rounds):
        order = np.argsort(random.random(strengths.shape), axis=1).astype(np.int64)
        points += _table_round(order, sizes, strengths, stage.blocks, random)
    played = [size for size in sizes if size > 1]
    total = stage.rounds * stage.blocks
    return points, total * len(played), total * sum(played)


def gauntlet(rules: StageRules, strengths: Floats, random: np.random.Generator) -> Runs:
    """Returns runs in which the challengers, the first columns, meet all others."""
    runs, count = strengths.shape
    entrants = [Entrant(at + 1, at + 1) for at in range(count)]
    sides = schedules.gauntlet_sides(entrants, rules.challengers)
    once = schedules.gauntlet_rounds(len(sides[0]), len(sides[1]), rules.players)
    points = np.zeros((runs, count))
    blocks = games = 0
    for number in range(round_count(rules, entrants)):
        tables = schedules.gauntlet_round(*sides, rules.players, number % once)
        tables.sort(key=len, reverse=True)
        sizes = [len(table) for table in tables]
        order = np.tile([it.seed - 1 for table in tables for it in table], (runs, 1))
        each = blocks_of_round(rules, entrants, number + 1)
        points += _table_round(order, sizes, strengths, each, random)
        blocks, games = blocks + each * len(sizes), games + each * sum(sizes)
    return Runs(
        ranking(points, strengths, random),
        np.full(runs, blocks, np.int64),
        np.full(runs, games, np.int64),
    )


def culling(rules: StageRules, strengths: Floats, random: np.random.Generator) -> Runs:
    """Returns runs of a culling."""
    runs, count = strengths.shape
    alive = np.tile(np.arange(count), (runs, 1))
    tail: list[Integers] = []
    blocks = games = 0
    for stage in culling_stages(rules, count):
        tail.insert(0, alive[:, stage.entrants :])
        alive = alive[:, : stage.entrants]
        here = np.take_along_axis(strengths, alive, axis=1)
        points, more_blocks, more_games = _drawn_stage(rules, stage, here, random)
        blocks, games = blocks + more_blocks, games + more_games
        alive = np.take_along_axis(alive, ranking(points, here, random), axis=1)
    return Runs(
        np.concatenate([alive, *tail], axis=1).astype(np.int64),
        np.full(runs, blocks, np.int64),
        np.full(runs, games, np.int64),
    )
