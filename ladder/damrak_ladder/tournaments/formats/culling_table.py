"""Who plays which stage of a culling, and its table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from damrak_ladder.tournaments.formats.plans import culling_stages, taking_part
from damrak_ladder.tournaments.formats.ranking import rank
from damrak_ladder.tournaments.formats.rules import StageRules
from damrak_ladder.tournaments.formats.values import Entrant, Round, Row


@dataclass(frozen=True, slots=True)
class Begun:
    """A stage that has begun or begins now: its entrants, its rounds so far and its table."""

    entrants: list[Entrant]
    rounds: Sequence[Round]
    table: list[Row]
    last_round: int


def begun_stages(
    rules: StageRules, entrants: Iterable[Entrant], played: Sequence[Round]
) -> list[Begun]:
    """Returns the stages up to the one that the next round belongs to.

    Points start from zero in each stage; the points of earlier stages break ties.
    """
    alive = taking_part(rules, entrants)
    known = {entrant.number: entrant for entrant in alive}
    found: list[Begun] = []
    earlier: dict[int, Fraction] = {}
    start = 0
    for stage in culling_stages(rules, len(alive)):
        if found:
            for row in found[-1].table:
                earlier[row.number] = earlier.get(row.number, Fraction(0)) + row.points
            alive = [known[row.number] for row in found[-1].table[: stage.entrants]]
        end = start + stage.rounds
        rounds = played[start:end]
        table = rank(rules, alive, rounds, earlier=earlier)
        found.append(Begun(alive, rounds, table, end))
        start = end
        if len(played) < end:
            break
    return found


def culling_table(
    rules: StageRules, entrants: Iterable[Entrant], played: Sequence[Round]
) -> tuple[Row, ...]:
    """Returns the table: entrants of the latest stage first, each stage by its own points."""
    stages = begun_stages(rules, entrants, played)
    found = list(stages[-1].table)
    for stage in reversed(stages[:-1]):
        seen = {row.number for row in found}
        left = [row for row in stage.table if row.number not in seen]
        for at, row in enumerate(left):
            by = row.decided_by if at else "round"
            found.append(replace(row, decided_by=by, out=stage.last_round))
    return tuple(found)
