"""Tables: pure functions of the rules, the entrants and the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from damrak_ladder.tournaments.formats import knockouts, schedules
from damrak_ladder.tournaments.formats.culling_table import culling_table
from damrak_ladder.tournaments.formats.plans import taking_part
from damrak_ladder.tournaments.formats.ranking import rank
from damrak_ladder.tournaments.formats.rules import KNOCKOUTS, StageRules
from damrak_ladder.tournaments.formats.values import Entrant, Round, Row


def standings(
    rules: StageRules, entrants: Iterable[Entrant], played: Sequence[Round]
) -> tuple[Row, ...]:
    """Returns the table, best first; with groups one table after the other.

    The order of results within a round does not matter. Guests come last in their group.
    """
    order = taking_part(rules, entrants)
    if rules.format in KNOCKOUTS:
        return knockouts.table(rules, order, played)
    if rules.format == "culling":
        return culling_table(rules, order, played)
    groups = schedules.snake(order, rules.groups)
    return tuple(row for at, group in enumerate(groups) for row in rank(rules, group, played, at))
