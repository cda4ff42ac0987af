"""Culling: after each stage the lower half leaves, and the others share the same effort.

The budget is that of a Swiss with the same number of rounds and blocks. Every stage gets an equal
part of it, so that entrants of later stages play more. Within a stage all entrants play the same
number of rounds at tables that are drawn, with as few rematches as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from damrak_ladder.tournaments.formats.rules import StageRules
from damrak_ladder.tournaments.formats.tables import table_sizes


@dataclass(frozen=True, slots=True)
class CullingStage:
    """A stage: its entrants, its rounds and the blocks of each pairing."""

    entrants: int
    rounds: int
    blocks: int
    tables: int

    @property
    def cost(self) -> int:
        """Returns the blocks of the stage."""
        return self.rounds * self.blocks * self.tables


def stages(rules: StageRules, entrants: int, swiss_rounds: int) -> tuple[CullingStage, ...]:
    """Returns the stages of a culling that costs at most as much as a Swiss.

    What earlier stages leave of their parts goes to the last one.
    """
    sizes = stage_sizes(entrants, rules.survivors or rules.players)
    tables = [len(table_sizes(size, rules.players)) for size in sizes]
    left = swiss_rounds * rules.blocks * tables[0]
    found: list[CullingStage] = []
    for at, size in enumerate(sizes):
        share = left // (len(sizes) - at)
        found.append(_stage(size, tables[at], rules.players, share))
        left -= found[-1].cost
    return tuple(found)


def stage_sizes(entrants: int, survivors: int) -> list[int]:
    """Returns the number of entrants of each stage, until at most `survivors` are left."""
    sizes = [entrants]
    while sizes[-1] > max(2, survivors):
        sizes.append(max(-(-sizes[-1] // 2), min(survivors, sizes[-1] - 1)))
    return sizes


def _stage(size: int, tables: int, players: int, budget: int) -> CullingStage:
    """Returns the stage with the most rounds without a rematch, then with more blocks."""
    affordable = max(1, budget // tables)
    fresh = max(1, (size - 1) // (players - 1))
    rounds = min(fresh, affordable)
    return CullingStage(size, rounds, max(1, affordable // rounds), tables)


def stage_of_round(plan: Sequence[CullingStage], number: int) -> tuple[int, int] | None:
    """Returns the stage of a round (from 0) and the number of the stage's first round."""
    start = 0
    for at, stage in enumerate(plan):
        if number < start + stage.rounds:
            return at, start
        start += stage.rounds
    return None
