"""The view of a tournament that a viewer may have: its state without hidden results.

Everything that follows from a hidden result is left out with it: later pairings, tables, and the
end of the tournament. Two tournaments that differ in hidden results only look the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Final

from damrak_ladder.tournaments import journal, kept
from damrak_ladder.tournaments.access import Viewer, may_run, user_of
from damrak_ladder.tournaments.formats import Row
from damrak_ladder.tournaments.kept import Table
from damrak_ladder.tournaments.log.course import Course, Verdict
from damrak_ladder.tournaments.log.releases import effective_releases
from damrak_ladder.tournaments.log.state import Pairing, Round, Stage, State
from damrak_ladder.tournaments.log.tables import table_of
from damrak_ladder.tournaments.log.values import PairingKey, Phase, Release
from damrak_ladder.tournaments.models import Tournament

_AFTER = frozenset({Phase.OVER, Phase.FINAL})
_MOST_KEPT: Final = 32

_kept: OrderedDict[tuple[Any, ...], Disclosed] = OrderedDict()
_lock: Final = Lock()


@dataclass(frozen=True, slots=True)
class Disclosed:
    """The state and the verdicts that a viewer may know."""

    state: State
    course: Course
    is_organiser: bool
    hidden: frozenset[PairingKey] = frozenset()  # pairings whose results are withheld
    secret: bytes = b""
    _tables: dict[int, Table] = field(default_factory=dict, compare=False, repr=False)

    def is_hidden(self, key: PairingKey) -> bool:
        """Return whether the result of this pairing is withheld."""
        return key in self.hidden

    def played(self, stage: Stage) -> int:
        """Return the number of complete rounds of a stage."""
        return len(self.course.played(stage))

    def table(self, stage: Stage) -> tuple[Row, ...]:
        """Return the table of a stage, which is calculated once."""
        return self.kept_table(stage).rows

    def kept_table(self, stage: Stage) -> Table:
        """Return the table of a stage with the texts that are kept beside it."""
        if stage.number not in self._tables:
            self._tables[stage.number] = (
                kept.kept_table(self.secret, self.state, self.course, stage)
                if self.secret
                else Table(table_of(self.state, self.course, stage))
            )
        return self._tables[stage.number]


def disclosed(tournament: Tournament, viewer: Viewer) -> Disclosed:
    """Return what this viewer may know. The tournament itself must be visible to the viewer.

    What viewers with the same entrants know is kept, until an act or a result changes it.
    """
    state, user = journal.state_of(tournament), user_of(viewer)
    is_organiser = may_run(viewer, tournament)
    own = frozenset(
        number
        for number, one in state.entrants.items()
        if user is not None and not is_organiser and one.owner == user.pk
    )
    facts = (bytes(tournament.secret), tournament.digest, journal.mark_of_results(tournament))
    key = (*facts, is_organiser, own)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    found = _disclosed(tournament, state, own, is_organiser=is_organiser)
    with _lock:
        _kept[key] = found
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return found


def forget() -> None:
    """Forget what is kept, for tests that make two tournaments with the same log."""
    with _lock:
        _kept.clear()
    kept.forget()


def _disclosed(
    tournament: Tournament, state: State, own: frozenset[int], *, is_organiser: bool
) -> Disclosed:
    full, secret = kept.kept_course(tournament, state), bytes(tournament.secret)
    if is_organiser:
        return Disclosed(state, full, is_organiser=True, secret=secret)
    levels = effective_releases(state)
    if all(_is_visible(levels[one.key], one, own) for _, one in state.pairings()):
        return Disclosed(state, full, is_organiser=False, secret=secret)
    return replace(_reduced(state, full, own, levels), secret=secret)


def _is_visible(level: Release, pairing: Pairing, own: frozenset[int]) -> bool:
    match level:
        case Release.PUBLIC:
            return True
        case Release.ENTRANTS:
            return bool(own.intersection(pairing.entrants))
        case _:
            return False


def _reduced(
    state: State, full: Course, own: frozenset[int], levels: Mapping[PairingKey, Release]
) -> Disclosed:
    seen, hidden = _seen_state(state, own, levels)
    verdicts = {
        made.key: tuple(_withheld(one, hidden) for one in full.verdicts[made.key])
        for made in seen.rounds()
    }
    return Disclosed(seen, Course(verdicts), is_organiser=False, hidden=frozenset(hidden))


def public_view(state: State) -> object:
    """Return what a visitor may know of a state; it is equal for states that look the same."""
    seen, hidden = _seen_state(state, frozenset(), effective_releases(state))
    rounds = [
        replace(
            made,
            release=Release.HIDDEN,
            serial=0,
            seed="",
            cost={},
            pairings={table: replace(one, release=None) for table, one in made.pairings.items()},
        )
        for made in seen.rounds()
    ]
    return seen.phase, seen.rules, seen.entrants, sorted(seen.stages), rounds, hidden


def _seen_state(
    state: State, own: frozenset[int], levels: Mapping[PairingKey, Release]
) -> tuple[State, set[PairingKey]]:
    """Return a state as a viewer with these entrants may know it, and the withheld pairings."""
    seen = state.copy()
    hidden: set[PairingKey] = set()
    open_stages: set[int] = set()
    for number in sorted(state.stages):
        stage = state.stages[number]
        sources = {one.stage for one in stage.plan.sources}
        if sources & open_stages:
            open_stages.add(number)
            del seen.stages[number]
            continue
        rounds = []
        for made in stage.rounds:
            rounds.append(made)
            mine = [
                one for one in made.pairings.values() if not _is_visible(levels[one.key], one, own)
            ]
            hidden.update(one.key for one in mine)
            if mine:
                open_stages.add(number)
                break
        seen.stages[number] = replace(stage, rounds=tuple(_plain(one, hidden) for one in rounds))
    if seen.phase in _AFTER and hidden:
        seen.phase = Phase.RUNNING
    return seen, hidden


def _plain(made: Round, hidden: set[PairingKey]) -> Round:
    """Return the round without rulings on hidden pairings, and without the cost of its pairing."""
    pairings = {
        table: replace(one, places=(), forfeited=frozenset(), takes={}, skipped=frozenset())
        if one.key in hidden
        else one
        for table, one in made.pairings.items()
    }
    return replace(made, pairings=pairings)


def _withheld(verdict: Verdict, hidden: set[PairingKey]) -> Verdict:
    if verdict.pairing.key not in hidden:
        return verdict
    pairing = verdict.pairing
    plain = replace(pairing, places=(), forfeited=frozenset(), takes={}, skipped=frozenset())
    return Verdict(plain, None)
