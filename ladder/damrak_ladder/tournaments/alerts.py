"""Alerts for organisers: problems that hold a tournament up, and acts that resolve them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from statistics import median
from typing import Any, Final

from django.db.models import Q

from damrak_ladder.matches import hosts
from damrak_ladder.matches.durations import games_per_second
from damrak_ladder.matches.models import BlockState, Host, HostState
from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.tournament_codes import (
    BlockNotPlayable,
    EntrantAbsent,
    PlayedInQuarantine,
    RoundNotPairable,
    SlowRound,
)
from damrak_ladder.message_codes.wording import english
from damrak_ladder.tournaments import formats, journal
from damrak_ladder.tournaments.formats.plans import blocks_of_round
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.advance import pairing_of
from damrak_ladder.tournaments.log.course import course, field_of
from damrak_ladder.tournaments.log.state import Arrangement, Pairing, Round, Stage, State
from damrak_ladder.tournaments.log.values import UNDER_WAY, BlockKey, PairingKey, Phase
from damrak_ladder.tournaments.models import Entrant, PairingBlock, Tournament
from damrak_ladder.tournaments.pairing_blocks import open_verdicts
from damrak_ladder.tournaments.records import keyed

SLOW: Final = 2.0
"""A round is slow if it takes this many times as long as forecast."""

_LEAST: Final = timedelta(minutes=1)
_BEFORE_START: Final = (Phase.OPEN, Phase.CLOSED)


@dataclass(frozen=True, slots=True)
class Alert:
    """A problem, and acts that an organiser can preview: pairs of a kind and its payload."""

    kind: str  # "host", "absent", "dead", "slow", "pairing" or "plan"
    message: Message
    proposals: tuple[tuple[str, dict[str, Any]], ...] = ()
    block: int | None = None
    entrant: int | None = None
    where: dict[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return the problem in English."""
        return english(self.message)

    def as_json(self) -> dict[str, Any]:
        """Return the alert as JSON."""
        names = ("kind", "text", "proposals", "block", "entrant", "where")
        return {name: getattr(self, name) for name in names}


def alerts(tournament: Tournament, now: datetime) -> list[Alert]:
    """Return the problems that need an organiser now."""
    state = journal.state_of(tournament)
    if state.phase in _BEFORE_START:
        return _planned(state)
    found = doubtful(tournament, state) if state.stages else []
    if state.phase in UNDER_WAY:
        found += _not_pairable(tournament, state)
        found += _dead(tournament, state)
        found += _absent(tournament, state, now)
    if state.phase is Phase.RUNNING:
        found += _slow(tournament, state, now)
    return found


def doubtful(tournament: Tournament, state: State) -> list[Alert]:
    """Return alerts of counted blocks that were played on a host in quarantine."""
    found = []
    for host in Host.objects.filter(state=HostState.QUARANTINED).order_by("pk"):
        evidence = host.evidence if isinstance(host.evidence, dict) else {}
        suspect = Q(block__in=evidence.get("doubtful", []))
        if (since := hosts.quarantined_since(host)) is not None:
            suspect |= Q(block__finished__gt=since)
        rows = PairingBlock.objects.filter(
            suspect,
            pairing__round__stage__tournament=tournament,
            block__host=host,
            block__state=BlockState.RECORDED,
        )
        for row, key in keyed(rows):
            if (pairing := state.pairing_with(key)) is not None:
                found.append(_host_alert(host.name, row, key, pairing))
    return found


def _host_alert(host: str, row: PairingBlock, key: BlockKey, pairing: Pairing) -> Alert:
    where = _where(pairing.key)
    return Alert(
        "host",
        PlayedInQuarantine(row.block_id, host),
        ((Kind.REPLAY_BLOCK, {**where, "number": key.number}),),
        block=row.block_id,
        where=where,
    )


def _dead(tournament: Tournament, state: State) -> list[Alert]:
    rows = PairingBlock.objects.filter(
        pairing__round__stage__tournament=tournament, block__state=BlockState.DEAD
    )
    found = []
    for row, key in keyed(rows):
        if (pairing := state.pairing_with(key)) is None:
            continue
        where = _where(pairing.key)
        named = {**where, "number": key.number}
        proposals = ((Kind.REPLAY_BLOCK, named), (Kind.SKIP_BLOCK, named))
        message = BlockNotPlayable(row.block_id, row.block.tries)
        found.append(Alert("dead", message, proposals, block=row.block_id, where=where))
    return found


def _absent(tournament: Tournament, state: State, now: datetime) -> list[Alert]:
    found = []
    gone = Entrant.objects.filter(tournament=tournament, absent_since__lte=now - _LEAST)
    for entrant in gone.select_related("bot").order_by("number"):
        since = entrant.absent_since
        assert since is not None
        minutes = int((now - since).total_seconds() // 60)
        open_ = [
            one.pairing
            for _, verdicts in open_verdicts(tournament, state)
            for one in verdicts
            if not one.is_decided and entrant.number in one.pairing.entrants
        ]
        proposals: list[tuple[str, dict[str, Any]]] = [
            (Kind.FORFEIT, {**_where(one.key), "entrants": [entrant.number]}) for one in open_
        ]
        proposals.append((Kind.WITHDRAW, {"entrant": entrant.number}))
        message = EntrantAbsent(entrant.bot.name, minutes)
        found.append(Alert("absent", message, tuple(proposals), entrant=entrant.number))
    return found


def _planned(state: State) -> list[Alert]:
    """Return alerts about arranged pairings and authors of the bots that are entered so far.

    Seeds are those of the order of entry, as warnings do not depend on them.
    """
    present = [one for one in state.entrants.values() if state.is_in(one.number)]
    field_ = [
        formats.Entrant(one.number, at, one.owner, guest=one.is_guest)
        for at, one in enumerate(present, 1)
    ]
    found = []
    for number, plan in enumerate(state.rules.stages):
        [source, *others] = plan.sources
        if others or source.stage is not None or source.entrants:
            continue
        here = field_[source.first - 1 : source.last]
        try:
            warnings = _warnings_of_bots(state, number, here)
        except formats.RulesError:
            continue  # too few bots so far
        if state.phase is Phase.CLOSED:
            found += [Alert("plan", one) for one in warnings]
        arranged = state.arrangements.get((number, 1))
        if arranged is not None and not _can_pair(plan.rules, here, arranged):
            found.append(_pairing_alert(number, 1))
    return found


def _warnings_of_bots(
    state: State, number: int, entrants: Sequence[formats.Entrant]
) -> list[Message]:
    """Return the warnings about a stage that depend on authors and on forbidden pairs.

    The forecast shows those that depend on the number of entrants only.

    Raises:
        RulesError
    """
    rules = state.rules.stages[number].rules
    forbidden = [
        pair
        for (stage, _), arranged in state.arrangements.items()
        if stage == number
        for pair in arranged.forbidden
    ]
    strangers = [replace(one, owner=None) for one in entrants]
    known = {type(one) for one in formats.plan(rules, strangers).warnings}
    warnings = formats.plan(rules, entrants, forbidden).warnings
    return [one for one in warnings if type(one) not in known]


def _can_pair(
    rules: formats.StageRules, entrants: Sequence[formats.Entrant], arranged: Arrangement
) -> bool:
    """Return whether the first round of a stage can be paired."""
    manual, forbidden = arranged.manual, arranged.forbidden
    try:
        formats.pair_round(rules, entrants, [], seed="", forbidden=forbidden, manual=manual)
    except formats.FormatError:
        return False
    return True


def _not_pairable(tournament: Tournament, state: State) -> list[Alert]:
    """Return an alert if the next round has arranged pairings with which it cannot be paired."""
    if not state.arrangements:
        return []
    if not state.stages:
        return [one for one in _planned(state) if one.kind == "pairing"]
    found = []
    played = course(state, journal.results_of(tournament))
    for stage in state.stages.values():
        following = len(stage.rounds) + 1
        is_open = bool(stage.rounds) and not played.is_complete(stage.rounds[-1].key)
        if is_open or (stage.number, following) not in state.arrangements:
            continue
        try:
            pairing_of(state, played, stage, bytes(tournament.secret))
        except formats.FormatError:
            found.append(_pairing_alert(stage.number, following))
    return found


def _pairing_alert(stage: int, number: int) -> Alert:
    where = {"stage": stage, "round": number}
    return Alert("pairing", RoundNotPairable(number), ((Kind.ARRANGE, where),), where=where)


def _slow(tournament: Tournament, state: State, now: datetime) -> list[Alert]:
    """Return an alert for each open round that takes far longer than forecast, without pauses.

    The forecast is the time that its games take at the measured pace, or the usual time of the
    rounds before it, whichever is longer.
    """
    found = []
    for made, verdicts in open_verdicts(tournament, state):
        if made.at is None or all(one.is_decided for one in verdicts):
            continue
        stage = state.stages[made.key.stage]
        forecast = max(_LEAST, _usual(state, stage), _at_pace(state, stage, made))
        if state.running_time(made.at, now) > SLOW * forecast:
            where = {"stage": made.key.stage, "round": made.key.number}
            proposals: tuple[tuple[str, dict[str, Any]], ...] = (
                (Kind.STOP, {"on": True}),
                (Kind.PAUSE, {}),
            )
            found.append(Alert("slow", SlowRound(made.key.number), proposals, where=where))
    return found


def _usual(state: State, stage: Stage) -> timedelta:
    """Return the median time between the rounds of a stage; zero if nothing is known.

    With one round a day, that time is mostly spent waiting.
    """
    if state.rules.schedule.daily is not None:
        return timedelta()
    times = [made.at for made in stage.rounds if made.at is not None]
    took = [
        state.running_time(earlier, later).total_seconds()
        for earlier, later in itertools.pairwise(times)
    ]
    return timedelta(seconds=median(took)) if took else timedelta()


def _at_pace(state: State, stage: Stage, made: Round) -> timedelta:
    """Return the time that the games of a round take at the measured pace."""
    seats = sum(len(one.entrants) for one in made.pairings.values() if len(one.entrants) > 1)
    blocks = blocks_of_round(stage.plan.rules, field_of(state, stage), made.key.number)
    games = seats * blocks * state.rules.rotations
    return timedelta(seconds=games / games_per_second(state.games_a_minute))


def _where(key: PairingKey) -> dict[str, int]:
    return {"stage": key.stage, "round": key.round, "table": key.table}
