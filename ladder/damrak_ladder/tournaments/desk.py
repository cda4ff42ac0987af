"""The organiser's desk: every act goes through `perform`, with or without effect.

A preview runs the same code as the act and rolls nothing forward: both fold the log with the act
appended. An act states the serial that it was based on, and is refused if the tournament has moved
on; a repeated idempotency key changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import transaction

from damrak_ladder.accounts.models import User
from damrak_ladder.message_codes import act_codes as codes, season_codes
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.access import may_run
from damrak_ladder.tournaments.announcements import announce
from damrak_ladder.tournaments.changes import changes
from damrak_ladder.tournaments.errors import KeyReused, NotAllowed, Refused, Stale
from damrak_ladder.tournaments.log.acts import (
    AUTOMATIC,
    NEEDS_REASON,
    UNDOABLE,
    Act,
    Kind,
    parse_payload,
)
from damrak_ladder.tournaments.log.course import Course, course
from damrak_ladder.tournaments.log.errors import LogError, NotPossible
from damrak_ladder.tournaments.log.fold import apply, fold
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Act as ActRow, Tournament
from damrak_ladder.tournaments.payloads import completed
from damrak_ladder.tournaments.records import write_rows
from damrak_ladder.tournaments.ruling_checks import check

_LONGEST_KEY: Final = 80


@dataclass(frozen=True, slots=True)
class Request:
    """An act as requested. `serial` is the one that it is based on; None accepts any.

    `actor` is None for the platform itself, which may do anything.
    """

    kind: Kind
    payload: Mapping[str, Any] = field(default_factory=dict)
    actor: User | None = None
    serial: int | None = None
    key: str = ""
    reason: str = ""
    is_public: bool = True
    undoes: int | None = None
    by_owner: bool = False  # entry and withdrawal by the owner of the bot, which is checked there


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of an act, or of its preview."""

    serial: int  # of the act; in a preview, the one that it would get
    payload: Mapping[str, Any]
    changes: Mapping[str, Any]
    is_preview: bool = False
    is_repeated: bool = False  # the same key had been used before


@dataclass(frozen=True, slots=True)
class _Outcome:
    act: Act
    before: State
    state: State
    course: Course
    changes: Mapping[str, Any]


def preview(tournament: Tournament, request: Request, now: datetime) -> Answer:
    """Return what an act would change, without doing it.

    Raises:
        BadTournament, NotAllowed, Refused, Stale
    """
    _check_request(tournament, request)
    tournament.refresh_from_db()
    _check_serial(tournament, request)
    found = _outcome(tournament, request, now)
    return Answer(found.act.serial, found.act.payload, found.changes, is_preview=True)


def perform(tournament: Tournament, request: Request, now: datetime) -> Answer:
    """Append an act to the log, and bring everything in line with it.

    The given row is updated. All happens in one transaction that locks the tournament.

    Raises:
        BadTournament, KeyReused, NotAllowed, Refused, Stale
    """
    _check_request(tournament, request)
    with transaction.atomic():
        locked = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
        if (earlier := _earlier(locked, request)) is not None:
            return earlier
        _check_serial(locked, request)
        found = _outcome(locked, request, now)
        act = found.act
        digest = journal.digest_of(locked.digest or journal.first_digest(locked), act)
        ActRow.objects.create(
            tournament=locked,
            serial=act.serial,
            kind=act.kind,
            payload=dict(act.payload),
            actor=request.actor,
            reason=request.reason[:500],
            is_public=request.is_public,
            undoes=act.undoes,
            key=request.key,
            fingerprint=_fingerprint(request) if request.key else "",
            digest=digest,
            at=now,
        )
        locked.serial, locked.digest = act.serial, digest
        write_rows(locked, found.before, found.state, found.course, now)
        reason = request.reason if request.is_public else ""
        announce(locked, act, reason, found.before, found.state, found.course)
    journal.keep_state(digest, found.state)
    tournament.refresh_from_db()
    return Answer(act.serial, act.payload, found.changes)


def _check_request(tournament: Tournament, request: Request) -> None:
    if request.actor is not None:
        if request.kind in AUTOMATIC or request.kind is Kind.CREATE:
            raise Refused(codes.ActOfPlatform())
        if not request.by_owner and not may_run(request.actor, tournament):
            raise NotAllowed(codes.OnlyOrganisers())
        if request.kind in NEEDS_REASON and not request.reason.strip():
            raise Refused(codes.NeedsReason(), codes.StateReason())
    if len(request.key) > _LONGEST_KEY:
        raise Refused(codes.LongKey(_LONGEST_KEY))


def _check_serial(tournament: Tournament, request: Request) -> None:
    if request.serial is not None and request.serial != tournament.serial:
        raise Stale(request.serial, tournament.serial)


def _earlier(tournament: Tournament, request: Request) -> Answer | None:
    """Return the answer to an earlier request with the same key."""
    if not request.key:
        return None
    row = ActRow.objects.filter(tournament=tournament, key=request.key).first()
    if row is None:
        return None
    if row.fingerprint != _fingerprint(request):
        raise KeyReused(codes.KeyOfOtherAct(request.key, row.serial))
    return Answer(row.serial, row.payload, {}, is_repeated=True)


def _fingerprint(request: Request) -> str:
    actor = None if request.actor is None else request.actor.pk
    said = [request.kind, dict(request.payload), actor, request.reason, request.undoes]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _outcome(tournament: Tournament, request: Request, now: datetime) -> _Outcome:
    before = journal.state_of(tournament)
    results = journal.results_of(tournament)
    course_before = course(before, results)
    try:
        given = completed(tournament, before, course_before, request.kind, request.payload)
        act = Act(
            serial=before.serial + 1,
            kind=request.kind,
            payload=parse_payload(request.kind, given),
            actor=None if request.actor is None else request.actor.pk,
            at=now,
            undoes=request.undoes,
        )
        check(before, course_before, act)
        state = _continued(tournament, before, act)
        after = course(state, results)
        if act.kind is Kind.UNDO:
            _check_undone(before, state, results)
            _check_season(tournament, before, state)
    except LogError as problem:
        raise Refused(problem.message, problem.cure) from None
    return _Outcome(
        act,
        before,
        state,
        after,
        changes(tournament, (before, course_before), (state, after), act),
    )


def _continued(tournament: Tournament, before: State, act: Act) -> State:
    if act.kind is not Kind.UNDO:
        state = before.copy()
        apply(state, act)
        return state
    log = journal.acts_of(tournament)
    undone = next((one for one in log if one.serial == act.undoes), None)
    if undone is None:
        raise NotPossible(codes.NoAct(act.undoes or 0))
    if undone.kind not in UNDOABLE:
        raise NotPossible(codes.CannotBeUndone(undone.serial))
    if any(one.kind is Kind.UNDO and one.undoes == undone.serial for one in _in_force(log)):
        raise NotPossible(codes.UndoneAlready(undone.serial), codes.UndoTheUndo())
    return fold([*log, act])


def _in_force(log: list[Act]) -> list[Act]:
    """Return the undo acts that have not been undone themselves."""
    undone: set[int] = set()
    found = []
    for act in reversed(log):
        if act.kind is Kind.UNDO and act.serial not in undone and act.undoes is not None:
            undone.add(act.undoes)
            found.append(act)
    return found


def _check_season(tournament: Tournament, before: State, after: State) -> None:
    """Check that no other season has taken the number of a cancelled one."""
    if before.phase is not Phase.CANCELLED or after.phase is Phase.CANCELLED:
        return
    others = Tournament.objects.filter(league=tournament.league_id, season=tournament.season)
    if tournament.season is not None and others.exclude(phase=Phase.CANCELLED).exists():
        raise NotPossible(season_codes.SeasonNumberTaken(tournament.season))


def _check_undone(before: State, after: State, results: Mapping[Any, Any]) -> None:
    """Check that no recorded block stops counting, because its games cannot be taken back."""
    lost = [key for key in results if before.counts(key) and not after.counts(key)]
    if lost:
        raise NotPossible(codes.BlocksWouldNotCount(len(lost)), codes.ReplayRound())
