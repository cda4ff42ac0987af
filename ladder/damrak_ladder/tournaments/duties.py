"""Duties of the platform: pairing of rounds, schedules, and absences of remote bots.

Every duty is idempotent: it decides again from the log and the results under the lock of the
tournament, so a process may stop at any statement and another one may run at the same time.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db import OperationalError, transaction

from damrak_ladder.bots.models import Kind as BotKind
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.tournaments import desk, journal
from damrak_ladder.tournaments.announcements import FREEZE_NOTICE, remind_of_freeze
from damrak_ladder.tournaments.divisions import divisions_of
from damrak_ladder.tournaments.entry import pinned_versions
from damrak_ladder.tournaments.errors import BadTournament, Refused, Stale
from damrak_ladder.tournaments.formats import FormatError
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.advance import next_step
from damrak_ladder.tournaments.log.course import course
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import Phase, Standing
from damrak_ladder.tournaments.models import Entrant, PairingBlock, Tournament
from damrak_ladder.tournaments.next_season import begin_due_season, next_number
from damrak_ladder.tournaments.pairing_blocks import open_verdicts
from damrak_ladder.tournaments.records import keyed
from damrak_ladder.tournaments.schedule import planned_releases, round_due, season_due

_SCHEDULED = {Phase.DRAFT: Kind.OPEN, Phase.OPEN: Kind.CLOSE, Phase.CLOSED: Kind.START}
_MOST_STEPS = 64

_log = logging.getLogger(__name__)


def run_duties(now: datetime, lobby: Collection[int] | None = None) -> int:
    """Advance all tournaments; return the number of acts of the platform.

    `lobby` contains the remote versions that are connected; None if that is not known.
    """
    acts = 0
    active = Tournament.objects.filter(phase=Phase.RUNNING)
    due = Tournament.objects.filter(due__lte=now).exclude(phase=Phase.RUNNING)
    soon = Tournament.objects.filter(phase=Phase.OPEN, due__gt=now, due__lte=now + FREEZE_NOTICE)
    for tournament in [*due.order_by("pk"), *active.order_by("pk"), *soon.order_by("pk")]:
        try:
            if tournament.phase in {*_SCHEDULED, Phase.RUNNING}:
                acts += advance(tournament, now, lobby)
            else:
                acts += _release_planned(tournament, now) + _begin_season(tournament, now)
        except OperationalError:
            raise  # the database is unreachable or busy, which affects all tournaments
        except Exception:  # noqa: BLE001  # one tournament must not stop the others
            _log.exception("tournament_not_advanced", extra={"tournament": tournament.slug})
    return acts


def advance(tournament: Tournament, now: datetime, lobby: Collection[int] | None = None) -> int:
    """Do everything that is due in a tournament; return the number of acts."""
    remind_of_freeze(tournament, now)
    acts = _follow_schedule(tournament, now) + _release_planned(tournament, now)
    if lobby is not None:
        acts += _note_absences(tournament, lobby, now)
    acts += _skip_dead_blocks(tournament, now)
    for _ in range(_MOST_STEPS):
        if not _pair_next(tournament, now):
            break
        acts += 1
    return acts


def advance_after(block_id: int, now: datetime) -> None:
    """Advance the running tournament that this block belongs to, if there is one."""
    row = PairingBlock.objects.select_related("pairing__round__stage__tournament")
    found = row.filter(block=block_id).first()
    if found is not None:
        tournament = found.pairing.round.stage.tournament
        if tournament.phase == Phase.RUNNING:
            advance(tournament, now)


def _pair_next(tournament: Tournament, now: datetime) -> bool:
    """Pair the next round, or end the tournament; return whether there was something to do."""
    tournament.refresh_from_db()
    state = journal.state_of(tournament)
    if state.phase is not Phase.RUNNING or not _is_some_round_complete(tournament, state):
        return False
    if (due := round_due(state)) is not None and now < due and not _is_over(tournament, state):
        return False
    with transaction.atomic():
        locked = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
        state = journal.state_of(locked)
        played = course(state, journal.results_of(locked))
        try:
            step = next_step(state, played, bytes(locked.secret))
        except FormatError as problem:  # the arranged pairings are impossible: `alerts` says so
            _log.info("not_paired", extra={"tournament": locked.slug, "why": str(problem)})
            return False
        if step is None:
            return False
        request = desk.Request(step[0], step[1], serial=locked.serial)
        return _try(locked, request, now)


def _is_some_round_complete(tournament: Tournament, state: State) -> bool:
    """Return whether anything can be paired, from the results of the open rounds alone."""
    if any(number not in state.stages for number in divisions_of(state.rules)):
        return True
    return any(
        all(one.is_decided for one in verdicts)
        for made, verdicts in open_verdicts(tournament, state)
        if made.key.number == len(state.stages[made.key.stage].rounds)
    ) or any(not stage.rounds for stage in state.stages.values())


def _is_over(tournament: Tournament, state: State) -> bool:
    played = course(state, journal.results_of(tournament))
    try:
        step = next_step(state, played, bytes(tournament.secret))
    except FormatError:
        return False
    return step is not None and step[0] is Kind.FINISH


def _follow_schedule(tournament: Tournament, now: datetime) -> int:
    acts = 0
    for _ in _SCHEDULED:
        phase = Phase(tournament.phase)
        if phase not in _SCHEDULED or tournament.due is None or tournament.due > now:
            break
        kind = _SCHEDULED[phase]
        if kind is Kind.CLOSE:
            acts += _withdraw_versionless(tournament, now)
        if not _try(tournament, desk.Request(kind, {}), now):
            break
        acts += 1
    return acts


def _release_planned(tournament: Tournament, now: datetime) -> int:
    """Release the rounds whose time has come."""
    acts = 0
    for made, plan in planned_releases(journal.state_of(tournament)):
        if plan.at <= now:
            payload = {
                "stage": made.key.stage,
                "round": made.key.number,
                "generation": made.key.generation,
                "level": str(plan.level),
            }
            acts += _try(tournament, desk.Request(Kind.RELEASE, payload), now)
    return acts


def _begin_season(tournament: Tournament, now: datetime) -> int:
    """Make the results of a season final and begin the next one, if the time has come."""
    tournament.refresh_from_db()
    due = season_due(journal.state_of(tournament))
    if due is None or due > now:
        return 0
    acts = 0
    if tournament.phase == Phase.OVER:
        if not _try(tournament, desk.Request(Kind.FINALISE), now):
            return 0
        acts = 1
    if tournament.season is not None and tournament.league_id is not None:
        is_last = next_number(tournament.league_id) == tournament.season + 1
        if is_last and not _try_season(tournament, now):
            return acts
        acts += is_last
    # Nothing is left to do, unless another act changes the tournament.
    Tournament.objects.filter(pk=tournament.pk, serial=tournament.serial).update(due=None)
    return acts


def _try_season(last: Tournament, now: datetime) -> bool:
    """Begin the season after this one; return False if that is not possible yet."""
    try:
        begin_due_season(last, now)
    except (BadTournament, Refused) as problem:
        _log.info("season_not_begun", extra={"tournament": last.slug, "why": str(problem)})
        return False
    return True


def _withdraw_versionless(tournament: Tournament, now: datetime) -> int:
    """Withdraw the entrants that have no qualified version when entries close."""
    state = journal.state_of(tournament)
    versions = pinned_versions(state)
    missing = [one for one in state.entrants if state.is_in(one) and str(one) not in versions]
    for number in missing:
        reason = "It had no qualified version when entries closed."
        request = desk.Request(Kind.WITHDRAW, {"entrant": number}, reason=reason)
        _try(tournament, request, now)
    return len(missing)


def _note_absences(tournament: Tournament, lobby: Collection[int], now: datetime) -> int:
    """Record since when remote entrants are not connected; forfeit after the patience."""
    remote = Entrant.objects.filter(
        tournament=tournament, standing=Standing.IN, version__kind=BotKind.REMOTE
    )
    remote.filter(version__in=lobby).exclude(absent_since=None).update(absent_since=None)
    remote.filter(absent_since=None).exclude(version__in=lobby).update(absent_since=now)
    state = journal.state_of(tournament)
    if state.rules.absent != "forfeit":
        return 0
    patience = timedelta(seconds=state.rules.patience_s)
    gone = remote.filter(absent_since__lte=now - patience)
    return sum(
        _forfeit(tournament, state, number, patience, now)
        for number in gone.order_by("number").values_list("number", flat=True)
    )


def _forfeit(
    tournament: Tournament, state: State, number: int, patience: timedelta, now: datetime
) -> int:
    acts = 0
    for made, verdicts in open_verdicts(tournament, state):
        since = max(at for at in (made.at, state.resumed, now - 2 * patience) if at is not None)
        if now - since < patience:
            continue
        for one in verdicts:
            if one.is_decided or number not in one.pairing.entrants:
                continue
            key = one.pairing.key
            payload = {**_named(key), "entrants": [number]}
            reason = "It was not connected for longer than the rules allow."
            acts += _try(tournament, desk.Request(Kind.FORFEIT, payload, reason=reason), now)
    return acts


def _skip_dead_blocks(tournament: Tournament, now: datetime) -> int:
    """Leave out blocks that could not be played, if the rules say so."""
    state = journal.state_of(tournament)
    if state.rules.dead != "skip" or state.phase is not Phase.RUNNING:
        return 0
    acts = 0
    for key in dead_blocks(tournament, state):
        found = next(one for _, one in state.pairings() if one.origin == key.pairing)
        payload = {**_named(found.key), "number": key.number}
        reason = "It could not be played."
        acts += _try(tournament, desk.Request(Kind.SKIP_BLOCK, payload, reason=reason), now)
    return acts


def dead_blocks(tournament: Tournament, state: State) -> dict[Any, Block]:
    """Return the blocks that count and could not be played, by key."""
    rows = PairingBlock.objects.filter(tournament=tournament, block__state=BlockState.DEAD)
    return {key: row.block for row, key in keyed(rows) if state.counts(key)}


def _named(key: Any) -> dict[str, int]:
    return {
        "stage": key.stage,
        "round": key.round,
        "generation": key.generation,
        "table": key.table,
    }


def _try(tournament: Tournament, request: desk.Request, now: datetime) -> bool:
    """Perform an act of the platform; return False if it is not possible any more."""
    try:
        desk.perform(tournament, request, now)
    except (Refused, Stale) as problem:
        _log.info(
            "duty_not_done",
            extra={"tournament": tournament.slug, "act": request.kind, "why": str(problem)},
        )
        return False
    return True
