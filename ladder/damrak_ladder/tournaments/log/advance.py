"""The next act of the platform: the pairing of a round, or the end of the tournament."""

from __future__ import annotations

import hashlib
from typing import Any

from damrak_ladder.tournaments import formats
from damrak_ladder.tournaments.formats import KNOCKOUTS, RoundPairing
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.course import Course, field_of
from damrak_ladder.tournaments.log.state import Arrangement, Round, Stage, State
from damrak_ladder.tournaments.log.tables import entrants_of, with_late_entrants
from damrak_ladder.tournaments.log.values import Phase

Step = tuple[Kind, dict[str, Any]]
"""An act of the platform, without its serial."""


def next_step(state: State, course: Course, secret: bytes) -> Step | None:
    """Return the next act that the state and the results call for; None if there is none.

    A paused tournament pairs nothing. Stages whose sources are over run side by side.
    """
    if state.phase is not Phase.RUNNING:
        return None
    step = _next(state, course, secret)
    if step is not None and step[0] is Kind.PAIR and state.stops_after_round:
        return None
    return step


def _next(state: State, course: Course, secret: bytes) -> Step | None:
    over: set[int] = set()
    for number, plan in enumerate(state.rules.stages):
        sources = {source.stage for source in plan.sources if source.stage is not None}
        if not sources <= over:
            continue
        stage = state.stages.get(number)
        if stage is None:
            stage = Stage(number, plan, entrants_of(state, course, number))
        if not _is_ready(stage, course):
            continue
        payload = pairing_of(state, course, stage, secret)
        if payload is not None:
            return Kind.PAIR, payload
        over.add(number)
    return (Kind.FINISH, {}) if len(over) == len(state.rules.stages) else None


def pairing_of(state: State, course: Course, stage: Stage, secret: bytes) -> dict[str, Any] | None:
    """Return the payload that pairs the next round of a stage; None if the stage is over."""
    if stage.plan.rules.format not in KNOCKOUTS:
        stage = with_late_entrants(stage, state)
    played = course.played(stage)
    number = len(played) + 1
    if len(stage.entrants) < 2:
        return None
    seed = seed_of(secret, stage.number, number)
    arranged = state.arrangements.get((stage.number, number), Arrangement())
    made = formats.pair_round(
        stage.plan.rules,
        field_of(state, stage),
        played,
        seed=seed,
        absent=tuple(one for one in stage.entrants if not state.is_in(one)),
        forbidden=arranged.forbidden,
        manual=arranged.manual,
    )
    return None if made is None else _payload(state, stage, number, made)


def seed_of(secret: bytes, stage: int, number: int) -> str:
    """Return the seed with which a round is paired.

    It does not depend on the generation, so that a round with unchanged inputs is paired alike.
    """
    text = f"damrak-pairing/1 {stage} {number}".encode()
    return hashlib.sha256(secret + text).hexdigest()[:32]


def _is_ready(stage: Stage, course: Course) -> bool:
    return not stage.rounds or course.is_complete(stage.rounds[-1].key)


def _payload(state: State, stage: Stage, number: int, made: RoundPairing) -> dict[str, Any]:
    former = state.latest_generation(stage.number, number)
    is_known = stage.number in state.stages and number > 1
    same = is_known and state.stages[stage.number].entrants == stage.entrants
    return {
        "stage": stage.number,
        "round": number,
        "generation": state.generation(stage.number, number),
        "field": [] if same else list(stage.entrants),
        "blocks": made.blocks,
        "pairings": [
            _pairing(stage, table, pairing, former)
            for table, pairing in enumerate(made.pairings, 1)
        ],
        "seed": made.seed,
        "cost": {name: str(value) for name, value in made.cost.items()},
    }


def _pairing(
    stage: Stage, table: int, pairing: formats.Pairing, former: Round | None
) -> dict[str, Any]:
    said: dict[str, Any] = {"table": table, "entrants": list(pairing.entrants)}
    for name, value in (
        ("slot", pairing.slot),
        ("group", pairing.group),
        ("manual", pairing.manual),
    ):
        if value:
            said[name] = value
    if former is not None and stage.plan.rules.format in KNOCKOUTS:
        for one in former.pairings.values():
            if one.slot == pairing.slot and one.entrants == pairing.entrants and not one.is_bye:
                said["of"] = list(one.origin)
    return said
