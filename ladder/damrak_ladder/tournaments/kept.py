"""Verdicts and tables that are kept in memory, so that a result costs only what depends on it.

The verdicts on a round follow from the round, its rules, the disqualified entrants and the results
of its blocks; a table from the rules, the entrants and the complete rounds. They are kept beside
these facts and calculated again if one of them differs.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from damrak_ladder.tournaments import formats, journal
from damrak_ladder.tournaments.formats import Row
from damrak_ladder.tournaments.log.course import Course, Verdict, field_of, verdicts_of
from damrak_ladder.tournaments.log.state import Stage, State
from damrak_ladder.tournaments.log.values import RoundKey, Standing
from damrak_ladder.tournaments.models import Tournament

_MOST_ROUNDS: Final = 1024
_MOST_TABLES: Final = 64
_VARIANTS: Final = 4
"""Tables of one stage, for viewers who may know different rounds."""

_rounds: OrderedDict[tuple[bytes, RoundKey], tuple[Any, tuple[Verdict, ...]]] = OrderedDict()
_tables: OrderedDict[tuple[bytes, int], list[tuple[Any, Table]]] = OrderedDict()
_lock: Final = Lock()


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a stage, and texts that follow from them and from a key."""

    rows: tuple[Row, ...]
    texts: dict[Any, str] = field(default_factory=dict, compare=False, repr=False)


def kept_course(tournament: Tournament, state: State) -> Course:
    """Return the verdicts on all current pairings; results are read for changed rounds only."""
    marks = journal.marks_of_rounds(tournament)
    secret = bytes(tournament.secret)
    out = frozenset(
        (number, one.ruling)
        for number, one in state.entrants.items()
        if one.standing is Standing.DISQUALIFIED
    )
    found: dict[RoundKey, tuple[Verdict, ...]] = {}
    facts: dict[RoundKey, Any] = {}
    for made in state.rounds():
        rules = state.stages[made.key.stage].plan.rules
        mark = marks.get((made.key.stage, made.key.number))
        facts[made.key] = (mark, made, rules, out)
        with _lock:
            known = _rounds.get((secret, made.key))
        if known is not None and known[0] == facts[made.key]:
            found[made.key] = known[1]
    missing = [made for made in state.rounds() if made.key not in found]
    results = journal.results_of(tournament, [one.key for one in missing]) if missing else {}
    for made in missing:
        found[made.key] = verdicts_of(state, made, results)
        with _lock:
            _rounds[secret, made.key] = (facts[made.key], found[made.key])
            _rounds.move_to_end((secret, made.key))
            if len(_rounds) > _MOST_ROUNDS:
                _rounds.popitem(last=False)
    return Course({made.key: found[made.key] for made in state.rounds()})


def kept_table(secret: bytes, state: State, course: Course, stage: Stage) -> Table:
    """Return the table of a stage after its complete rounds."""
    entrants, played = field_of(state, stage), course.played(stage)
    facts = (stage.plan.rules, entrants, played)
    key = (secret, stage.number)
    with _lock:
        for known, table in _tables.get(key, ()):
            if known == facts:
                return table
    made = Table(formats.standings(stage.plan.rules, entrants, played))
    with _lock:
        variants = _tables.setdefault(key, [])
        variants.append((facts, made))
        del variants[:-_VARIANTS]
        _tables.move_to_end(key)
        if len(_tables) > _MOST_TABLES:
            _tables.popitem(last=False)
    return made


def forget() -> None:
    """Forget everything, for tests that make two tournaments with the same log."""
    with _lock:
        _rounds.clear()
        _tables.clear()
