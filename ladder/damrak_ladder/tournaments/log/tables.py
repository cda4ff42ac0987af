"""Tables of stages, and the entrants that advance from one stage to the next."""

from __future__ import annotations

from dataclasses import replace

from damrak_ladder.tournaments import formats
from damrak_ladder.tournaments.formats import Row
from damrak_ladder.tournaments.log.course import Course, field_of
from damrak_ladder.tournaments.log.rules import Source
from damrak_ladder.tournaments.log.state import Stage, State


def table_of(state: State, course: Course, stage: Stage) -> tuple[Row, ...]:
    """Return the table of a stage after its complete rounds, the best entrant first."""
    return formats.standings(stage.plan.rules, field_of(state, stage), course.played(stage))


def entrants_of(state: State, course: Course, number: int) -> tuple[int, ...]:
    """Return the entrants of a stage that is about to begin, in the order of their seeds."""
    plan = state.rules.stages[number]
    found: list[int] = []
    for source in plan.sources:
        if source.entrants:
            come = [one for one in source.entrants if one in state.entrants]
        elif source.stage is None:
            come = _seeded(state, source)
        else:
            come = _qualified(state, course, state.stages[source.stage], source, number)
        found += [one for one in come if one not in found and state.is_in(one)]
    return tuple(found)


def _seeded(state: State, source: Source) -> list[int]:
    seeded = [one for one in state.entrants.values() if one.seed is not None]
    ordered = [one.number for one in sorted(seeded, key=lambda one: one.seed or 0)]
    return ordered[source.first - 1 : source.last]


def _qualified(
    state: State, course: Course, stage: Stage, source: Source, following: int
) -> list[int]:
    rows = table_of(state, course, stage)
    if source.last is None and source.first == 1:
        rules, next_rules = stage.plan.rules, state.rules.stages[following].rules
        advanced = formats.advance(rules, field_of(state, stage), rows, next_rules)
        return [one.number for one in sorted(advanced, key=lambda one: one.seed)]
    placed = [row.number for row in rows if row.place is not None]
    return placed[source.first - 1 : source.last]


def with_late_entrants(stage: Stage, state: State) -> Stage:
    """Return the stage with the entrants that were added since it began, as the last seeds.

    Only a stage of all entrants is joined; a division has the entrants that it began with.
    """
    known = set(stage.entrants)
    if any(source != Source() for source in stage.plan.sources):
        return stage
    late = [one.number for one in state.entrants.values() if one.number not in known]
    late = [number for number in late if state.is_in(number)]
    return replace(stage, entrants=(*stage.entrants, *late)) if late else stage
