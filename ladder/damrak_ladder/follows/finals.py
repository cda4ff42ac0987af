"""The final of a knockout, as far as everyone may know it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from damrak_ladder.tournaments import formats
from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.formats.brackets import FINAL
from damrak_ladder.tournaments.log.course import field_of
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.schedule import round_due


@dataclass(frozen=True, slots=True)
class FinalMatch:
    """A final that is being played or comes next: its entrants, by number."""

    entrants: tuple[int, ...]
    at: datetime | None  # when it begins; None: it is paired, or may begin at once


def final_of(seen: Disclosed) -> FinalMatch | None:
    """Return the final of a running tournament once its entrants are known, until its result is.

    Only the last stage has a final, and only if it is a knockout.
    """
    state = seen.state
    stage = state.stages.get(len(state.rules.stages) - 1)
    if state.phase is not Phase.RUNNING or stage is None:
        return None
    rules = stage.plan.rules
    if rules.format not in formats.KNOCKOUTS:
        return None
    played = seen.course.played(stage)
    for slot in formats.bracket(rules, field_of(state, stage), played):
        if slot.name != FINAL:
            continue
        entrants = tuple(one for one in slot.entrants if one)
        if None in slot.entrants or len(entrants) < 2 or slot.winners:
            return None
        is_paired = len(stage.rounds) >= slot.round
        return FinalMatch(entrants, None if is_paired else round_due(state))
    return None
