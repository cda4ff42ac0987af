"""Completion of payloads: the fields that the platform adds to a requested act."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from damrak_ladder.bots.models import Bot
from damrak_ladder.message_codes import act_codes as codes, entry_codes
from damrak_ladder.tournaments.alerts import doubtful
from damrak_ladder.tournaments.divisions import fitted
from damrak_ladder.tournaments.entry import pinned_versions, version_of
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.course import Course
from damrak_ladder.tournaments.log.errors import NotPossible
from damrak_ladder.tournaments.log.rules import rules_json
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.placement import placement_of
from damrak_ladder.tournaments.rule_checks import check_name, checked_rules
from damrak_ladder.tournaments.seeding import seeds_of

_TO_COME: Final = (Kind.ARRANGE, Kind.PLAN_RELEASE)
"""Acts on rounds that need not be paired yet."""


def completed(
    tournament: Tournament,
    state: State,
    course: Course,
    kind: Kind,
    given: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the payload with the fields that the platform determines.

    Raises:
        BadTournament: the rules cannot be played.
        NotPossible
    """
    said = dict(given)
    match kind:
        case Kind.CLOSE:
            said["versions"] = pinned_versions(state)
        case Kind.START:
            said = _start(tournament, state, said)
        case Kind.WITHDRAW | Kind.DISQUALIFY:
            said["forfeits"] = _undecided(course, said.get("entrant"))
        case Kind.FINALISE:
            if found := doubtful(tournament, state):
                raise NotPossible(found[0].message, codes.ReplayOrTrust())
        case Kind.ENTER:
            said = _entry(state, said)
        case Kind.RENAME:
            check_name(said.get("name"))
            said["was"] = tournament.name
        case Kind.RULES:
            said["rules"] = rules_json(checked_rules(said.get("rules")))
        case _:
            pass
    if "round" in said and "generation" not in said and kind not in _TO_COME:
        stage, number = said.get("stage", 0), said["round"]
        if type(stage) is int and type(number) is int:
            said["generation"] = _current(state, stage, number)
    if kind in (Kind.OVERRIDE, Kind.REPLAY_BLOCK) and "rollback" not in said:
        said["rollback"] = _depends_on_results(state, said.get("stage", 0))
    return said


def _start(tournament: Tournament, state: State, said: dict[str, Any]) -> dict[str, Any]:
    """Return the payload of a start; divisions are fitted to the entrants and to the last season.

    Raises:
        NotPossible: the results of the last season are not final and public.
    """
    given = {name: value for name, value in said.items() if name not in ("stages", "moves")}
    if "seeds" in given:
        return given
    placed = placement_of(tournament, state) if state.rules.seeding == "season" else None
    if placed is not None:
        start = {"seeds": placed.seeds, "stages": placed.stages, "moves": placed.moves}
    else:
        guests = sum(state.entrants[one].is_guest for one in state.entrants if state.is_in(one))
        seeds = seeds_of(state, bytes(tournament.secret))
        in_league = tournament.league_id is not None
        stages = fitted(state.rules, len(seeds) - guests, guests) if in_league else None
        start = {"seeds": seeds, "stages": stages}
    return given | start | {"method": state.rules.seeding}


def _current(state: State, stage: int, number: int) -> int:
    found = state.stages.get(stage)
    if found is None or not 1 <= number <= len(found.rounds):
        raise NotPossible(codes.RoundNotPaired(number, stage))
    return found.rounds[number - 1].key.generation


def _depends_on_results(state: State, stage: object) -> bool:
    """Return whether the pairings of later rounds follow from the results of earlier ones."""
    if not isinstance(stage, int) or not 0 <= stage < len(state.rules.stages):
        return True
    fixed = ("round-robin", "groups", "gauntlet")
    return state.rules.stages[stage].rules.format not in fixed


def _undecided(course: Course, entrant: object) -> list[list[int]]:
    """Return the pairings that an entrant which leaves now loses."""
    return [
        list(verdict.pairing.key)
        for verdicts in course.verdicts.values()
        for verdict in verdicts
        if not verdict.is_decided and entrant in verdict.pairing.entrants
    ]


def _entry(state: State, said: dict[str, Any]) -> dict[str, Any]:
    """Return the payload of an entry; the bot may be named by its slug."""
    _check_places(state, said)
    slug, key = said.pop("slug", None), said.get("bot")
    named = {"slug": slug} if isinstance(slug, str) else {"pk": key}
    is_named = isinstance(slug, str) or type(key) is int
    bot = Bot.objects.select_related("live").filter(**named).first() if is_named else None
    if bot is None:
        raise NotPossible(codes.NoBot(str(slug or key)), codes.NameBySlug())
    said |= {"bot": bot.pk, "owner": bot.owner_id, "version": None}
    if state.phase not in (Phase.DRAFT, Phase.OPEN):
        version = version_of(bot)
        if version is None:
            raise NotPossible(entry_codes.NoQualifiedVersion(bot.slug))
        said["version"] = version.pk
    said["entrant"] = 1 + max(state.entrants, default=0)
    return said


def _check_places(state: State, said: dict[str, Any]) -> None:
    """Refuse an entry for which there is no place, unless the request says otherwise."""
    if type(is_beyond := said.get("beyond_places")) is bool:
        del said["beyond_places"]
    taken = sum(state.is_in(number) for number in state.entrants)
    if is_beyond is not True and taken >= state.rules.entry.most:
        raise NotPossible(entry_codes.PlacesTaken(state.rules.entry.most), codes.EnterBeyond())
