"""The verdicts that follow from results: decided pairings, and blocks still to be played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from damrak_ladder.tournaments import formats
from damrak_ladder.tournaments.formats import GameResult, PairingResult
from damrak_ladder.tournaments.log.state import Pairing, Round, Stage, State
from damrak_ladder.tournaments.log.values import BlockKey, RoundKey, Ruling, Standing

Games = tuple[GameResult, ...]
"""The games of a block, each in the order of the pairing's entrants."""

Results = Mapping[BlockKey, Games]
"""Recorded results of blocks, by key."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far a pairing is.

    `how` is "played", "bye", "forfeit", "void", "award" or "override"; empty while it is open.
    `wanted` lists the blocks still to be played, by number.
    """

    pairing: Pairing
    result: PairingResult | None
    how: str = ""
    wanted: tuple[int, ...] = ()
    recorded: tuple[int, ...] = ()

    @property
    def is_decided(self) -> bool:
        """Return whether the pairing has a result."""
        return self.result is not None


@dataclass(frozen=True, slots=True)
class Course:
    """The verdicts on all pairings of the current rounds."""

    verdicts: Mapping[RoundKey, tuple[Verdict, ...]] = field(default_factory=dict)

    def is_complete(self, key: RoundKey) -> bool:
        """Return whether every pairing of a round is decided."""
        return all(one.is_decided for one in self.verdicts[key])

    def played(self, stage: Stage) -> list[list[PairingResult]]:
        """Return the results of the complete rounds of a stage, from its first one."""
        found = []
        for made in stage.rounds:
            results = [one.result for one in self.verdicts[made.key]]
            if any(one is None for one in results):
                break
            found.append([one for one in results if one is not None])
        return found


def course(state: State, results: Results) -> Course:
    """Return the verdicts on all current pairings."""
    verdicts: dict[RoundKey, tuple[Verdict, ...]] = {}
    for number in sorted(state.stages):
        for made in state.stages[number].rounds:
            verdicts[made.key] = verdicts_of(state, made, results)
    return Course(verdicts)


def verdicts_of(state: State, made: Round, results: Results) -> tuple[Verdict, ...]:
    """Return the verdicts on one round, in the order of its tables."""
    stage = state.stages[made.key.stage]
    return tuple(
        _verdict(state, stage, made.pairings[table], results) for table in sorted(made.pairings)
    )


def field_of(state: State, stage: Stage) -> tuple[formats.Entrant, ...]:
    """Return the entrants of a stage as formats take them, in the order of their seeds."""
    apart = stage.plan.rules.same_owner_apart
    return tuple(
        formats.Entrant(
            number=number,
            seed=seed,
            owner=state.entrants[number].owner if apart else None,
            guest=state.entrants[number].is_guest,
        )
        for seed, number in enumerate(stage.entrants, 1)
    )


def format_pairing(pairing: Pairing) -> formats.Pairing:
    """Return a pairing as formats take it."""
    return formats.Pairing(pairing.entrants, pairing.slot, pairing.group, pairing.manual)


def _verdict(
    state: State,
    stage: Stage,
    pairing: Pairing,
    results: Results,
) -> Verdict:
    rules, plain = stage.plan.rules, format_pairing(pairing)
    if pairing.is_bye:
        return Verdict(pairing, formats.bye(rules, plain), "bye")
    recorded = tuple(
        number
        for number in range(1, _last_number(stage, pairing) + 1)
        if number not in pairing.skipped and pairing.block_key(number) in results
    )
    verdict = _played(stage, pairing, recorded, results)
    if pairing.places:
        stated = formats.score_pairing(rules, plain, [[GameResult(pairing.places)]])
        verdict = Verdict(pairing, stated, "override", recorded=recorded)
    elif pairing.forfeited:
        lost = formats.ruling(rules, plain, "forfeit", pairing.forfeited)
        verdict = Verdict(pairing, lost, "forfeit", recorded=recorded)
    return _ruled(state, stage, verdict)


def _last_number(stage: Stage, pairing: Pairing) -> int:
    return pairing.blocks + len(pairing.skipped) + stage.plan.rules.sudden_death_limit


def _played(stage: Stage, pairing: Pairing, recorded: tuple[int, ...], results: Results) -> Verdict:
    """Return the verdict by the recorded blocks alone."""
    rules, plain = stage.plan.rules, format_pairing(pairing)
    planned = [n for n in range(1, pairing.blocks + 1) if n not in pairing.skipped]
    missing = tuple(number for number in planned if number not in recorded)
    if missing:
        return Verdict(pairing, None, wanted=missing, recorded=recorded)
    games = [results[pairing.block_key(number)] for number in planned]
    if not games:  # every block was skipped: a tie
        tie = [[GameResult((1,) * len(pairing.entrants))]]
        return Verdict(pairing, formats.score_pairing(rules, plain, tie), "override")
    sudden: list[Games] = []
    number = pairing.blocks
    while True:
        result = formats.score_pairing(rules, plain, games, sudden)
        if not formats.needs_sudden_death(rules, result):
            return Verdict(pairing, result, "played", recorded=recorded)
        number += 1
        while number in pairing.skipped:
            number += 1
        if number not in recorded:
            return Verdict(pairing, None, wanted=(number,), recorded=recorded)
        sudden.append(results[pairing.block_key(number)])


def _ruled(state: State, stage: Stage, verdict: Verdict) -> Verdict:
    """Apply the rulings on disqualified entrants to a verdict."""
    if not verdict.is_decided or verdict.how == "forfeit":
        return verdict
    out = {
        number: state.entrants[number].ruling
        for number in verdict.pairing.entrants
        if state.entrants[number].standing is Standing.DISQUALIFIED
    }
    against = [number for number, ruling in out.items() if ruling is not Ruling.KEEP]
    if not against:
        return verdict
    how = "void" if Ruling.VOID in out.values() else "award"
    rules, plain = stage.plan.rules, format_pairing(verdict.pairing)
    result = formats.ruling(rules, plain, how, against, verdict.result)
    return replace(verdict, result=result, how=how)
