"""How often a format finds the best entrant of a field, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

import numpy as np

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.tournaments.formats import KNOCKOUTS, RulesError, StageRules
from damrak_ladder.tournaments.simulation import knockouts, rounds
from damrak_ladder.tournaments.simulation.games import Floats
from damrak_ladder.tournaments.simulation.runs import Runs

RUNS: Final = 4000
SPREAD: Final = 150.0
SEED_ERROR: Final = 50.0
MOST_ENTRANTS: Final = 512
_MOST_CELLS: Final = 40_000_000

_BY_FORMAT: Final = {
    "round-robin": rounds.round_robin,
    "groups": rounds.round_robin,
    "swiss": rounds.swiss,
    "swiss-tables": rounds.swiss_tables,
    "culling": rounds.culling,
    "snapshot": rounds.drawn_rounds,
    "gauntlet": rounds.gauntlet,
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """The probability that the best entrant wins, its standard error, and the effort.

    Blocks and games are means over the runs; `sudden_death` blocks are counted apart. If the last
    stage has groups, a win is the first place of the own group.
    """

    stages: tuple[StageRules, ...]
    best_wins: float
    error: float
    blocks: float
    games: float
    runs: int
    sudden_death: float = 0.0

    @property
    def expected_games(self) -> float:
        """Returns all games, those of sudden death included."""
        return self.games + 2 * self.sudden_death


def model_field(
    entrants: int, lead: float, spread: float, runs: int, random: np.random.Generator
) -> Floats:
    """Returns normal strengths by seed, of which the best is moved to `lead` above the second.

    Seeds follow strengths with a normal error of SD 50.
    """
    strengths = -np.sort(-random.normal(0, spread, (runs, entrants)), axis=1)
    strengths[:, 0] = strengths[:, 1] + lead
    seen = strengths + random.normal(0, SEED_ERROR, strengths.shape)
    return np.take_along_axis(strengths, np.argsort(-seen, axis=1), axis=1)


def rated_field(
    ratings: Sequence[tuple[float, float]], runs: int, random: np.random.Generator
) -> Floats:
    """Returns strengths by seed, drawn from a mean and a standard deviation for each entrant."""
    means = np.array([mean for mean, _ in ratings])
    deviations = np.array([deviation for _, deviation in ratings])
    return random.normal(means, deviations, (runs, len(ratings)))


def affordable_runs(entrants: int, runs: int = RUNS) -> int:
    """Returns a number of runs that takes seconds for a field of this size."""
    return max(100, min(runs, _MOST_CELLS // entrants**2))


def estimate(stages: Sequence[StageRules], strengths: Floats, seed: int = 1) -> Estimate:
    """Returns what a chain of stages achieves for these fields, one row for each run.

    Raises:
        RulesError: a stage does not fit the field.
    """
    random = np.random.default_rng(seed)
    runs = len(strengths)
    alive = np.tile(np.arange(strengths.shape[1]), (runs, 1))
    blocks, games, sudden_death = np.zeros(runs), np.zeros(runs), 0.0
    for stage in stages:
        if stage.field is not None:
            alive = alive[:, : stage.field]
        here = np.take_along_axis(strengths, alive, axis=1)
        found = simulate(stage, here, random)
        blocks, games = blocks + found.blocks, games + found.games
        sudden_death += found.sudden_death
        alive = np.take_along_axis(alive, found.ranking, axis=1)
        if stage.advance is not None:
            alive = alive[:, : stage.advance * stage.groups]
    firsts = alive[:, : stages[-1].groups]  # the first of each group comes before all others
    wins = (firsts == np.argmax(strengths, axis=1)[:, None]).any(axis=1)
    chance = float(wins.mean())
    error = sqrt(max(chance * (1 - chance), 0.25 / runs) / runs)
    return Estimate(
        stages=tuple(stages),
        best_wins=chance,
        error=error,
        blocks=float(blocks.mean()),
        games=float(games.mean()),
        runs=runs,
        sudden_death=sudden_death,
    )


def simulate(rules: StageRules, strengths: Floats, random: np.random.Generator) -> Runs:
    """Returns runs of one stage.

    Raises:
        RulesError: the format does not fit the field.
    """
    count = strengths.shape[1]
    rules.validate(count)
    if count > MOST_ENTRANTS:
        raise RulesError("entrants", codes.FieldSize(count, MOST_ENTRANTS))
    if rules.format in KNOCKOUTS:
        return knockouts.simulate(rules, strengths, random)
    if rules.players > 2 and rules.format in ("round-robin", "groups"):
        return rounds.drawn_rounds(rules, strengths, random)
    return _BY_FORMAT[rules.format](rules, strengths, random)


def usual_stages(
    format_: str,
    entrants: int,
    blocks: int,
    *,
    players: int | None = None,
    rounds: int | None = None,
) -> tuple[StageRules, ...]:
    """Returns a format with its usual settings; the two best of groups play a knockout."""
    default = 4 if format_ in ("swiss-tables", "culling") else 2
    rules = StageRules(format=format_, players=players or default, blocks=blocks, rounds=rounds)
    if format_ != "groups":
        return (rules,)
    groups = max(1, entrants // 4)
    knockout = StageRules(format="single-elimination", blocks=blocks)
    return replace(rules, groups=groups, advance=2), knockout
