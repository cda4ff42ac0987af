"""Notices to the owners of entrants, with results only after their release to the reader.

They are written in the transaction of the act, with keys that are the same if it is repeated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from damrak_ladder.bots.models import Bot
from damrak_ladder.notices import tournament_texts as texts
from damrak_ladder.notices.creation import Letter, tell_all
from damrak_ladder.notices.kinds import Kind as NoticeKind
from damrak_ladder.notices.models import Notice
from damrak_ladder.notices.texts import Said
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.log.acts import Act, Kind
from damrak_ladder.tournaments.log.course import Course, Verdict
from damrak_ladder.tournaments.log.releases import effective_releases
from damrak_ladder.tournaments.log.state import Round, State
from damrak_ladder.tournaments.log.values import PairingKey, Phase, Release, RoundKey
from damrak_ladder.tournaments.models import Entrant as EntrantRow, Tournament

FREEZE_NOTICE: Final = timedelta(hours=24)
"""How long before entries close their owners are reminded."""

_RULINGS: Final = frozenset(
    {Kind.OVERRIDE, Kind.REPLAY_BLOCK, Kind.REPLAY_ROUND, Kind.FORFEIT, Kind.SKIP_BLOCK}
)


@dataclass(frozen=True, slots=True)
class _Told:
    """What the notices of an act are made from."""

    tournament: Tournament
    act: Act
    reason: str
    before: State
    state: State
    course: Course
    names: Mapping[int, EntrantRow]

    @property
    def path(self) -> str:
        return f"/tournaments/{self.tournament.slug}/"

    def letter(
        self, number: int, kind: NoticeKind, what: str, said: Said, link: str = ""
    ) -> Letter:
        """Return a notice to the owner of an entrant; `what` identifies its event."""
        key = f"{kind}:{self.tournament.pk}:{what}:{number}"
        return Letter(self.names[number].owner, kind, key, *said, link or self.path)

    def bot(self, number: int) -> str:
        if number in self.names:
            return self.names[number].bot.name
        return Bot.objects.get(pk=self.before.entrants[number].bot).name  # its entry is undone


def announce(
    tournament: Tournament,
    act: Act,
    reason: str,
    before: State,
    state: State,
    course: Course,
) -> int:
    """Tell the owners of entrants about an act; return the number of new notices.

    `reason` is empty if the act is private.
    """
    rows = EntrantRow.objects.filter(tournament=tournament).select_related("bot", "owner")
    names = {row.number: row for row in rows} if act.kind in _WRITERS else {}
    told = _Told(tournament, act, reason, before, state, course, names)
    letters = list(_WRITERS[act.kind](told)) if act.kind in _WRITERS else []
    return tell_all(letters, act.at) if act.at is not None else 0


def remind_of_freeze(tournament: Tournament, now: datetime) -> int:
    """Tell the owners of entrants that entries close soon, once."""
    state = journal.state_of(tournament)
    closes = state.rules.schedule.closes
    if state.phase is not Phase.OPEN or closes is None or not now < closes <= now + FREEZE_NOTICE:
        return 0
    kind, what = NoticeKind.TOURNAMENT_FREEZE, closes.isoformat()
    if Notice.objects.filter(key__startswith=f"{kind}:{tournament.pk}:{what}:").exists():
        return 0
    rows = EntrantRow.objects.filter(tournament=tournament).select_related("bot", "owner")
    letters = [
        Letter(
            row.owner,
            kind,
            f"{kind}:{tournament.pk}:{what}:{row.number}",
            *texts.tournament_freeze(row.bot.name, tournament.name, closes),
            f"/tournaments/{tournament.slug}/",
        )
        for row in rows
        if state.is_in(row.number)
    ]
    return tell_all(letters, now)


def _entered(told: _Told) -> Iterator[Letter]:
    number = told.act.payload["entrant"]
    closes = told.state.rules.schedule.closes
    said = texts.tournament_entry(told.bot(number), told.tournament.name, closes)
    yield told.letter(number, NoticeKind.TOURNAMENT_ENTRY, str(told.act.serial), said)


def _rules(told: _Told) -> Iterator[Letter]:
    if told.before.rules == told.state.rules:
        return
    owners: set[int] = set()
    for number, one in told.state.entrants.items():
        if told.state.is_in(number) and one.owner not in owners:
            owners.add(one.owner)
            said = texts.tournament_rules(told.bot(number), told.tournament.name)
            kind, link = NoticeKind.TOURNAMENT_RULES, f"{told.path}rules/"
            yield told.letter(number, kind, str(told.act.serial), said, link)


def _paired(told: _Told) -> Iterator[Letter]:
    key, stage = told.act.payload, told.state.stages.get(told.act.payload["stage"])
    if stage is None or not stage.rounds or stage.rounds[-1].serial != told.act.serial:
        return
    made = stage.rounds[-1]
    if len(stage.rounds) > 1:
        yield from _results(told, _seen(told.state), stage.rounds[-2].key)
    if not _is_known(told.state, effective_releases(told.state), made):
        return
    what = f"{key['stage']}.{key['round']}.{key['generation']}"
    link = f"{told.path}rounds/{made.key.stage}/{made.key.number}/"
    follows = any(source.stage is not None for source in stage.plan.sources)
    for pairing in made.pairings.values():
        for number in pairing.entrants:
            name, bot = told.tournament.name, told.bot(number)
            if follows and made.key.number == 1:
                said = texts.tournament_promoted(
                    bot, name, stage.plan.name or str(stage.number + 1)
                )
                yield told.letter(number, NoticeKind.TOURNAMENT_PROMOTED, what, said, link)
            if not pairing.is_bye:
                said = texts.tournament_round(bot, name, made.key.number)
                yield told.letter(number, NoticeKind.TOURNAMENT_ROUND, what, said, link)


def _started(told: _Told) -> Iterator[Letter]:
    """Tell who changed the division. The results that it follows from are public."""
    for move in told.act.payload.get("moves", ()):
        was, now, number = move["was"], move["now"], move["entrant"]
        if was is not None and was != now:
            said = texts.tournament_division(
                told.bot(number), told.tournament.name, was + 1, now + 1
            )
            yield told.letter(number, NoticeKind.TOURNAMENT_PROMOTED, "season", said)


def _finished(told: _Told) -> Iterator[Letter]:
    seen = _seen(told.state)
    for stage in told.state.stages.values():
        if stage.rounds:
            yield from _results(told, seen, stage.rounds[-1].key)


def _released(told: _Told) -> Iterator[Letter]:
    """Tell the results that can be seen now, and could not be seen before."""
    new = _seen(told.state) - _seen(told.before)
    for key in {one.round_key for one in new}:
        yield from _results(told, new, key)


def _ruled(told: _Told) -> Iterator[Letter]:
    """Tell a ruling on pairings that their entrants can see."""
    said, seen = told.act.payload, _seen(told.before)
    for made, pairing in told.before.pairings():
        if (made.key.stage, made.key.number) != (said["stage"], said["round"]):
            continue
        if said.get("table", pairing.key.table) != pairing.key.table or pairing.key not in seen:
            continue
        for number in pairing.entrants:
            yield _ruling(told, number, f"{told.path}rounds/{made.key.stage}/{made.key.number}/")


def _disqualified(told: _Told) -> Iterator[Letter]:
    yield _ruling(told, told.act.payload["entrant"], "")


def _undone(told: _Told) -> Iterator[Letter]:
    """Correct the notices of the act that is undone, for everyone who got one."""
    kinds = (NoticeKind.TOURNAMENT_ENTRY, NoticeKind.TOURNAMENT_RULES, NoticeKind.TOURNAMENT_RULING)
    for kind in kinds:
        start = f"{kind}:{told.tournament.pk}:{told.act.undoes}:"
        for notice in Notice.objects.filter(key__startswith=start).select_related("user"):
            number = int(notice.key.removeprefix(start))
            said = texts.tournament_correction(told.bot(number), told.tournament.name, told.reason)
            key = f"{NoticeKind.TOURNAMENT_RULING}:{told.tournament.pk}:{told.act.serial}:{number}"
            yield Letter(notice.user, NoticeKind.TOURNAMENT_RULING, key, *said, told.path)
    yield from _hidden_again(told)


def _hidden_again(told: _Told) -> Iterator[Letter]:
    """Correct the results that their entrants were told, and can no longer see."""
    gone = _seen(told.before) - _seen(told.state)
    for _, pairing in told.before.pairings():
        if pairing.key not in gone:
            continue
        key = pairing.key
        for number in pairing.entrants:
            kind, what = NoticeKind.TOURNAMENT_RESULT, f"{key.stage}.{key.round}.{key.generation}"
            notice = f"{kind}:{told.tournament.pk}:{what}:{number}"
            if Notice.objects.filter(key=notice).exists():
                said = texts.tournament_correction(
                    told.bot(number), told.tournament.name, told.reason
                )
                link = f"{told.path}rounds/{key.stage}/{key.round}/"
                yield told.letter(
                    number, NoticeKind.TOURNAMENT_RULING, str(told.act.serial), said, link
                )


def _ruling(told: _Told, number: int, link: str) -> Letter:
    said = texts.tournament_ruling(
        told.bot(number), told.tournament.name, str(told.act.kind), told.reason
    )
    return told.letter(number, NoticeKind.TOURNAMENT_RULING, str(told.act.serial), said, link)


def _results(told: _Told, seen: Collection[PairingKey], key: RoundKey) -> Iterator[Letter]:
    """Yield the results of a round whose pairings are among those that can be seen."""
    for verdict in told.course.verdicts.get(key, ()):
        if (
            verdict.pairing.key in seen
            and verdict.result is not None
            and not verdict.pairing.is_bye
        ):
            yield from _result(told, verdict)


def _result(told: _Told, verdict: Verdict) -> Iterator[Letter]:
    key, result = verdict.pairing.key, verdict.result
    assert result is not None
    link = f"{told.path}rounds/{key.stage}/{key.round}/"
    for at, number in enumerate(verdict.pairing.entrants):
        others = [told.bot(one) for one in verdict.pairing.entrants if one != number]
        said = texts.tournament_result(
            told.bot(number), told.tournament.name, key.round, result.points[at], others
        )
        what = f"{key.stage}.{key.round}.{key.generation}"
        yield told.letter(number, NoticeKind.TOURNAMENT_RESULT, what, said, link)


def _seen(state: State) -> frozenset[PairingKey]:
    """Return the pairings whose results their own entrants can see."""
    levels = effective_releases(state)
    return frozenset(
        pairing.key
        for made in state.rounds()
        if _is_known(state, levels, made)
        for pairing in made.pairings.values()
        if levels[pairing.key] is not Release.HIDDEN
    )


def _is_known(state: State, levels: Mapping[PairingKey, Release], made: Round) -> bool:
    """Return whether everybody can see who meets in a round: all results before it are public."""
    stages, waiting = set(), [made.key.stage]
    while waiting:
        number = waiting.pop()
        stages.add(number)
        sources = state.rules.stages[number].sources
        waiting += [one.stage for one in sources if one.stage is not None]
    earlier = [
        one
        for one in state.rounds()
        if one.key.stage in stages
        and (one.key.stage != made.key.stage or one.key.number < made.key.number)
    ]
    return all(
        levels[pairing.key] is Release.PUBLIC
        for one in earlier
        for pairing in one.pairings.values()
        if not pairing.is_bye
    )


_WRITERS: Final = {
    Kind.ENTER: _entered,
    Kind.RULES: _rules,
    Kind.START: _started,
    Kind.PAIR: _paired,
    Kind.FINISH: _finished,
    Kind.RELEASE: _released,
    Kind.DISQUALIFY: _disqualified,
    Kind.UNDO: _undone,
    **dict.fromkeys(_RULINGS, _ruled),
}
