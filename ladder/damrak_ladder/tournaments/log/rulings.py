"""Acts that change pairings: rulings, replays with their rollbacks, and releases."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from damrak_ladder.message_codes import act_codes as codes
from damrak_ladder.tournaments.log.acts import Act
from damrak_ladder.tournaments.log.errors import NotPossible
from damrak_ladder.tournaments.log.state import (
    Arrangement,
    Pairing,
    PlannedRelease,
    Round,
    State,
)
from damrak_ladder.tournaments.log.values import PairingKey, Phase, Release, RoundKey


def arrange(state: State, act: Act, said: Any) -> None:
    """Set or forbid pairings of a round that is not paired yet."""
    if state.round(
        RoundKey(said["stage"], said["round"], state.generation(said["stage"], said["round"]))
    ):
        raise NotPossible(codes.RoundPaired(said["round"]), codes.ReplayRound())
    listed = [number for one in said["manual"] for number in one]
    if len(set(listed)) < len(listed):
        raise NotPossible(codes.PairedTwice())
    for number in {*listed, *(number for one in said["forbidden"] for number in one)}:
        if number not in state.entrants:
            raise NotPossible(codes.NoEntrant(number))
    state.arrangements[said["stage"], said["round"]] = Arrangement(
        tuple(tuple(one) for one in said["manual"]),
        tuple((one[0], one[1]) for one in said["forbidden"]),
    )


def override(state: State, act: Act, said: Any) -> None:
    """Replace the result of a pairing by stated places."""
    if (found := _found(state, said)) is None:
        return
    if found.is_bye or len(said["places"]) != len(found.entrants):
        raise NotPossible(codes.PlacesForEntrants(len(found.entrants)))
    _check_places(said["places"])
    _put(state, replace(found, places=tuple(said["places"])))
    if said["rollback"]:
        _supersede(state, act, found.key.stage, found.key.round + 1)


def replay_block(state: State, act: Act, said: Any) -> None:
    """Replace a block by another one, and roll back what follows from it if asked to."""
    if (found := _found(state, said)) is None:
        return
    number = said["number"]
    if found.is_bye or number < 1:
        raise NotPossible(codes.NoBlock(number))
    takes = {**found.takes, number: act.serial}
    _put(state, replace(found, takes=takes, skipped=found.skipped - {number}, places=()))
    if said["rollback"]:
        _supersede(state, act, found.key.stage, found.key.round + 1)
    _continue(state)


def replay_round(state: State, act: Act, said: Any) -> None:
    """Roll back a round and everything that follows from it."""
    key = RoundKey(said["stage"], said["round"], said["generation"])
    if state.round(key) is not None:
        _supersede(state, act, key.stage, key.number)
        _continue(state)


def forfeit(state: State, act: Act, said: Any) -> None:
    """Let entrants lose a pairing."""
    if (found := _found(state, said)) is None:
        return
    lost = set(said["entrants"])
    if not lost or not lost <= set(found.entrants):
        raise NotPossible(codes.OtherPairing())
    _put(state, replace(found, forfeited=found.forfeited | lost))


def skip_block(state: State, act: Act, said: Any) -> None:
    """Leave a block out of a pairing."""
    if (found := _found(state, said)) is None:
        return
    _put(state, replace(found, skipped=found.skipped | {said["number"]}))


def release(state: State, act: Act, said: Any) -> None:
    """Set the audience of a round, or of one of its pairings."""
    key = RoundKey(said["stage"], said["round"], said["generation"])
    made = state.round(key)
    if made is None:
        return
    level, table = Release(said["level"]), said["table"]
    if table is None:
        plain = {at: replace(one, release=None) for at, one in made.pairings.items()}
        _put_round(state, replace(made, release=level, pairings=plain))
        state.planned.pop((key.stage, key.number), None)
    elif table not in made.pairings:
        raise NotPossible(codes.NoTable(key.number, table))
    else:
        _put(state, replace(made.pairings[table], release=level))


def plan_release(state: State, act: Act, said: Any) -> None:
    """Set or remove the time at which a round is released, which need not be paired yet."""
    at = (said["stage"], said["round"])
    if said["stage"] >= len(state.rules.stages) or said["round"] < 1:
        raise NotPossible(codes.NoRound(said["round"], said["stage"]))
    if said["at"] is None:
        state.planned.pop(at, None)
    else:
        moment = datetime.fromisoformat(said["at"])
        state.planned[at] = PlannedRelease(Release(said["level"]), moment)


def lose(state: State, number: int, forfeits: list[list[int]]) -> None:
    """Let an entrant that leaves lose its pairings that are not decided."""
    for one in forfeits:
        found = state.pairing(PairingKey(*one))
        if found is not None and number in found.entrants:
            _put(state, replace(found, forfeited=found.forfeited | {number}))


def _found(state: State, said: Any) -> Pairing | None:
    """Return the pairing that the payload names; None if its round is superseded."""
    key = PairingKey(said["stage"], said["round"], said["generation"], said["table"])
    found = state.pairing(key)
    if found is None and state.round(key.round_key) is not None:
        raise NotPossible(codes.NoTable(key.round, key.table))
    return found


def _check_places(places: list[int]) -> None:
    if any(place != 1 + sum(one < place for one in places) for place in places):
        raise NotPossible(codes.NotPlaces())


def _put(state: State, pairing: Pairing) -> None:
    made = state.round(pairing.key.round_key)
    assert made is not None
    _put_round(state, replace(made, pairings={**made.pairings, pairing.key.table: pairing}))


def _put_round(state: State, made: Round) -> None:
    stage = state.stages[made.key.stage]
    rounds = list(stage.rounds)
    rounds[made.key.number - 1] = made
    state.stages[stage.number] = replace(stage, rounds=tuple(rounds))


def _supersede(state: State, act: Act, stage: int, first: int) -> None:
    """Roll back the rounds of a stage from `first` on, and the stages that depend on it."""
    _drop(state, act, stage, first)
    for number in state.dependents(stage):
        _drop(state, act, number, 1)
        state.stages.pop(number, None)


def _drop(state: State, act: Act, stage: int, first: int) -> None:
    found = state.stages.get(stage)
    if found is None:
        return
    for made in found.rounds[first - 1 :]:
        state.superseded[made.key] = made
        state.generations[stage, made.key.number] = act.serial
    state.stages[stage] = replace(found, rounds=found.rounds[: first - 1])


def _continue(state: State) -> None:
    if state.phase is Phase.OVER:
        state.phase = Phase.RUNNING
