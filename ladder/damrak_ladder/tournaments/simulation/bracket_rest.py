"""The rest of a bracket for two, simulated from what is decided already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from damrak_ladder.tournaments.formats import Slot, StageRules
from damrak_ladder.tournaments.formats.brackets import FINAL, RESET
from damrak_ladder.tournaments.simulation.games import (
    Floats,
    Integers,
    duel_wins,
    sudden_death,
)

_NONE = -1
"""The column of a place that stays empty."""


def champions(
    rules: StageRules,
    slots: Sequence[Slot],
    columns: Mapping[int, int],
    strengths: Floats,
    random: np.random.Generator,
) -> Integers:
    """Returns the column of the winner in each run; `strengths` has one row for each run."""
    runs = len(strengths)
    won: dict[str, Integers] = {}
    lost: dict[str, Integers] = {}
    for slot in slots:
        if len(slot.winners) == 1:
            winner = columns[slot.winners[0]]
            others = [columns[one] for one in slot.losers]
            won[slot.name] = np.full(runs, winner)
            lost[slot.name] = np.full(runs, others[0] if others else _NONE)
            continue
        sides = [_side(slot, at, columns, won, lost, runs) for at in range(len(slot.entrants))]
        won[slot.name], lost[slot.name] = _duel(rules, slot.name, sides, strengths, random)
    known = won.get(RESET, won[FINAL])
    if rules.format == "double-elimination" and rules.bracket_reset and RESET not in won:
        known = _second_final(rules, slots, won, lost, strengths, random)
    return known


def _side(
    slot: Slot,
    at: int,
    columns: Mapping[int, int],
    won: Mapping[str, Integers],
    lost: Mapping[str, Integers],
    runs: int,
) -> Integers:
    entrant = slot.entrants[at]
    if entrant is not None:
        return np.full(runs, columns[entrant] if entrant else _NONE)
    source = slot.sources[at]
    return (won if source.kind == "winner" else lost)[source.slot]


def _duel(
    rules: StageRules,
    name: str,
    sides: Sequence[Integers],
    strengths: Floats,
    random: np.random.Generator,
) -> tuple[Integers, Integers]:
    one, other = sides
    rows = np.arange(len(strengths))
    first, second = strengths[rows, one], strengths[rows, other]
    blocks = (rules.final_blocks or rules.blocks) if name in (FINAL, RESET) else rules.blocks
    games = 2 * blocks
    wins = 2 * duel_wins(first, second, games, random) - games
    is_ahead, _ = sudden_death(first, second, random)
    is_first = np.where(wins == 0, is_ahead, wins > 0)
    is_first = np.where(other == _NONE, True, np.where(one == _NONE, False, is_first))
    return np.where(is_first, one, other), np.where(is_first, other, one)


def _second_final(
    rules: StageRules,
    slots: Sequence[Slot],
    won: Mapping[str, Integers],
    lost: Mapping[str, Integers],
    strengths: Floats,
    random: np.random.Generator,
) -> Integers:
    """Returns the champions, with a second final where the unbeaten entrant lost the first."""
    final = next(slot for slot in slots if slot.name == FINAL)
    if len(final.winners) == 1:
        return won[FINAL]
    source = final.sources[0]
    again = won[FINAL] != won[source.slot]
    winner, _ = _duel(rules, RESET, (won[FINAL], lost[FINAL]), strengths, random)
    return np.where(again, winner, won[FINAL])
