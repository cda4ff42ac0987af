"""The rest of a bracket, simulated from what is decided already."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from damrak_ladder.tournaments.formats import Slot, StageRules
from damrak_ladder.tournaments.formats.brackets import FINAL, RESET
from damrak_ladder.tournaments.formats.results import qualifying_places
from damrak_ladder.tournaments.simulation.games import (
    Floats,
    Integers,
    duel_wins,
    ranking,
    sudden_death,
    table_points,
)

NOBODY: Final = -1
"""The column of a place that stays empty."""


@dataclass(slots=True)
class _Rest:
    """Runs in progress: the columns that won and lost each slot, by place."""

    rules: StageRules
    columns: Mapping[int, int]
    gone: Collection[int]
    strengths: Floats
    random: np.random.Generator
    won: dict[str, list[Integers]] = field(default_factory=dict)
    lost: dict[str, list[Integers]] = field(default_factory=dict)

    def always(self, column: int) -> Integers:
        """Returns the same column for each run."""
        return np.full(len(self.strengths), column)


def champions(
    rules: StageRules,
    slots: Sequence[Slot],
    columns: Mapping[int, int],
    strengths: Floats,
    random: np.random.Generator,
    gone: Collection[int] = (),
) -> Integers:
    """Returns the column of the winner in each run; `strengths` has one row for each run.

    Entrants that are `gone` advance no further. Where none is left, the column is `NOBODY`.
    """
    rest = _Rest(rules, columns, gone, strengths, random)
    for slot in slots:
        if slot.winners or slot.losers:
            rest.won[slot.name] = [rest.always(columns[one]) for one in slot.winners]
            rest.lost[slot.name] = [rest.always(columns[one]) for one in slot.losers]
            continue
        sides = [_side(rest, slot, at) for at in range(len(slot.entrants))]
        _play(rest, slot.name, sides)
    if rules.format == "double-elimination" and rules.bracket_reset and RESET not in rest.won:
        return _second_final(rest, slots)
    return _winner(rest, RESET if RESET in rest.won else FINAL)


def _winner(rest: _Rest, name: str) -> Integers:
    return rest.won[name][0] if rest.won[name] else rest.always(NOBODY)


def _side(rest: _Rest, slot: Slot, at: int) -> Integers:
    entrant = slot.entrants[at]
    if entrant is not None:
        is_present = entrant != 0 and entrant not in rest.gone
        return rest.always(rest.columns[entrant] if is_present else NOBODY)
    source = slot.sources[at]
    known = (rest.won if source.kind == "winner" else rest.lost)[source.slot]
    side = known[source.place - 1] if len(known) >= source.place else rest.always(NOBODY)
    gone = [rest.columns[one] for one in rest.gone]
    return np.where(np.isin(side, gone), NOBODY, side)


def _play(rest: _Rest, name: str, sides: Sequence[Integers]) -> None:
    """Decide a slot in each run: by a duel, or at a table of up to four."""
    order = _duel(rest, name, sides) if len(sides) == 2 else _table(rest, name, sides)
    places = qualifying_places(len(sides), name)
    rest.won[name], rest.lost[name] = order[:places], order[places:]


def _blocks(rest: _Rest, name: str) -> int:
    final = rest.rules.final_blocks if name in (FINAL, RESET) else None
    return final or rest.rules.blocks


def _duel(rest: _Rest, name: str, sides: Sequence[Integers]) -> list[Integers]:
    """Returns the winners and the losers of a pairing of two."""
    one, other = sides
    rows = np.arange(len(rest.strengths))
    first, second = rest.strengths[rows, one], rest.strengths[rows, other]
    games = 2 * _blocks(rest, name)
    wins = 2 * duel_wins(first, second, games, rest.random) - games
    is_ahead, _ = sudden_death(first, second, rest.random)
    is_first = np.where(wins == 0, is_ahead, wins > 0)
    is_first = np.where(other == NOBODY, True, np.where(one == NOBODY, False, is_first))
    return [np.where(is_first, one, other), np.where(is_first, other, one)]


def _table(rest: _Rest, name: str, sides: Sequence[Integers]) -> list[Integers]:
    """Returns the entrants of a table by their places; empty seats come last."""
    seated = np.column_stack(sides)
    seated = np.take_along_axis(seated, np.argsort(seated == NOBODY, axis=1, kind="stable"), axis=1)
    counts = (seated != NOBODY).sum(axis=1)
    places = qualifying_places(len(sides), name)
    for count in range(places + 1, len(sides) + 1):
        rows = np.flatnonzero(counts == count)
        here = seated[rows, :count]
        strengths = rest.strengths[rows[:, None], here]
        points = table_points(strengths, _blocks(rest, name) * count, rest.random)
        order = ranking(points, strengths, rest.random)
        seated[rows, :count] = np.take_along_axis(here, order, axis=1)
    return list(seated.T)


def _second_final(rest: _Rest, slots: Sequence[Slot]) -> Integers:
    """Returns the champions, with a second final where the unbeaten entrant lost the first."""
    final = next(slot for slot in slots if slot.name == FINAL)
    first = _winner(rest, FINAL)
    if final.winners or final.losers:
        return first
    [upper], [second] = rest.won[final.sources[0].slot][:1], rest.lost[FINAL]
    winner, _ = _duel(rest, RESET, (first, second))
    return np.where(first != upper, winner, first)
