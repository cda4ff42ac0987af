"""Checks of acts that depend on results, made once when the act is made."""

from __future__ import annotations

from damrak_ladder.message_codes import act_codes as codes
from damrak_ladder.tournaments.formats import KNOCKOUTS
from damrak_ladder.tournaments.log.acts import Act, Kind
from damrak_ladder.tournaments.log.course import Course, Verdict
from damrak_ladder.tournaments.log.errors import NotPossible
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import PairingKey


def check(state: State, course: Course, act: Act) -> None:
    """Check an act of an organiser against the results.

    Raises:
        NotPossible
    """
    match act.kind:
        case Kind.CLOSE:
            _check_versions(state, act)
        case Kind.FINALISE:
            _check_decided(course)
        case Kind.OVERRIDE:
            _check_winner(state, act)
        case Kind.REPLAY_BLOCK | Kind.SKIP_BLOCK:
            _check_block(course, act)
        case Kind.FORFEIT:
            if _verdict(course, act).is_decided:
                raise NotPossible(codes.PairingDecided(), codes.OverrideInstead())
        case _:
            pass


def _check_versions(state: State, act: Act) -> None:
    versions = act.payload["versions"]
    missing = [one for one in state.entrants if state.is_in(one) and str(one) not in versions]
    if missing:
        numbers = tuple(map(str, missing))
        raise NotPossible(codes.EntrantsWithoutVersion(numbers), codes.WithdrawThese())


def _check_decided(course: Course) -> None:
    for key, verdicts in course.verdicts.items():
        if not all(one.is_decided for one in verdicts):
            raise NotPossible(codes.RoundUndecided(key.number))


def _check_winner(state: State, act: Act) -> None:
    stage = state.rules.stages[act.payload["stage"]]
    places = act.payload["places"]
    going_on = 1 if len(places) == 2 else 2
    is_tied = sorted(places)[going_on - 1 : going_on + 1].count(going_on) != 1
    if stage.rules.format in KNOCKOUTS and len(places) > going_on and is_tied:
        raise NotPossible(codes.NeedsWinner(), codes.DifferentPlaces())


def _check_block(course: Course, act: Act) -> None:
    verdict = _verdict(course, act)
    number = act.payload["number"]
    if number not in verdict.recorded and number not in verdict.wanted:
        raise NotPossible(codes.NoBlock(number))


def _verdict(course: Course, act: Act) -> Verdict:
    said = act.payload
    key = PairingKey(said["stage"], said["round"], said["generation"], said["table"])
    for verdict in course.verdicts.get(key.round_key, ()):
        if verdict.pairing.key == key:
            return verdict
    raise NotPossible(codes.NoTable(key.round, key.table))
