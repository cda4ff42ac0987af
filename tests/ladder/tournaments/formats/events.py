"""Whole stages for tests: entrants, games by strength, and rounds until the stage is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import log
from random import Random
from typing import Any

from damrak_ladder.tournaments.formats import (
    Entrant,
    GameResult,
    Pairing,
    PairingResult,
    StageRules,
    bye,
    needs_sudden_death,
    pair_round,
    score_pairing,
)

Rounds = list[list[PairingResult]]
Score = Callable[[Pairing], PairingResult]


def field(count: int, *, owners: int = 0) -> list[Entrant]:
    """Returns entrants whose numbers are their seeds."""
    return [Entrant(at, at, owner=at % owners if owners else None) for at in range(1, count + 1)]


def game(random: Random, strengths: dict[int, float], pairing: Pairing) -> GameResult:
    """Returns a game in which the stronger entrants finish first more often."""
    keys = {
        number: strengths[number] / 173.7 - log(-log(random.random() or 0.5))
        for number in pairing.entrants
    }
    order = sorted(pairing.entrants, key=keys.__getitem__, reverse=True)
    places = tuple(order.index(number) + 1 for number in pairing.entrants)
    return GameResult(places, tuple(100 - 10 * place for place in places))


def played(rules: StageRules, random: Random, strengths: dict[int, float]) -> Score:
    """Returns a function that plays a pairing, with sudden death in knockouts."""

    def score(pairing: Pairing) -> PairingResult:
        if pairing.is_bye:
            return bye(rules, pairing)

        def block() -> list[GameResult]:
            return [game(random, strengths, pairing) for _ in pairing.entrants]

        blocks, extra = [block() for _ in range(rules.blocks)], []
        result = score_pairing(rules, pairing, blocks)
        while needs_sudden_death(rules, result):
            extra.append(block())
            result = score_pairing(rules, pairing, blocks, extra)
        return result

    return score


def at_random(random: Random) -> Score:
    """Returns a function that gives pairs of two 0, 1/2 or 1 and byes 1."""

    def score(pairing: Pairing) -> PairingResult:
        if pairing.is_bye:
            return PairingResult(pairing, (Fraction(1),), blocks=0)
        mine = Fraction(random.choice((0, 0, 1, 2, 2)), 2)
        return PairingResult(pairing, (mine, 1 - mine))

    return score


def play(
    rules: StageRules,
    entrants: Sequence[Entrant],
    *,
    seed: int = 1,
    score: Score | None = None,
    rounds: int | None = None,
    **options: Any,
) -> Rounds:
    """Returns the results of all rounds of a stage, or of the first ones."""
    random = Random(seed)
    strengths = {entrant.number: random.gauss(0, 150) for entrant in entrants}
    score = score or played(rules, random, strengths)
    found: Rounds = []
    while rounds is None or len(found) < rounds:
        paired = pair_round(rules, entrants, found, seed=f"{seed}/{len(found)}", **options)
        if paired is None:
            break
        found.append([score(pairing) for pairing in paired.pairings])
    return found


def renumbered(entrants: Sequence[Entrant], shift: int) -> list[Entrant]:
    """Returns the same entrants with other numbers and the same seeds."""
    return [replace(it, number=shift - it.number) for it in entrants]


def renumbered_rounds(rounds: Rounds, shift: int) -> Rounds:
    """Returns results under the numbers of `renumbered`."""
    return [
        [
            replace(
                it,
                pairing=replace(
                    it.pairing, entrants=tuple(shift - number for number in it.pairing.entrants)
                ),
            )
            for it in results
        ]
        for results in rounds
    ]
