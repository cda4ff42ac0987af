"""What a format buys: how often the best bot wins, games and minutes, and other choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Final

from damrak_ladder.matches.durations import games_per_second
from damrak_ladder.message_codes.message import Message
from damrak_ladder.tournaments.divisions import divisions_of
from damrak_ladder.tournaments.formats import Entrant, RulesError, StageRules, plan
from damrak_ladder.tournaments.log.rules import Rules, StagePlan
from damrak_ladder.tournaments.simulation import SPREAD, Estimate, Recommendation, recommend

MOST: Final = 256
_SEED_ERROR: Final = 50.0
_WORK: Final = 12_000
_FEWEST, _RUNS = 60, 600


@dataclass(frozen=True, slots=True)
class Choice:
    """An estimate in whole numbers."""

    format: str
    players: int
    blocks: int
    percent: int
    games: int
    minutes: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a format buys, or the problem because of which it cannot be played or simulated."""

    entrants: int
    chosen: Choice | None = None
    is_by_group: bool = False  # the last stage has groups: `chosen` is about winning the own one
    margin: int = 0
    cheaper: Choice | None = None
    better: Choice | None = None
    warnings: tuple[Message, ...] = ()
    problem: Message | None = None
    divisions: int = 0  # that are played beside each other; `chosen` is about the first one
    season_games: int = 0
    season_minutes: int = 0
    days: int = 0  # if one round is played a day


def forecast_of(rules: Rules, entrants: int) -> Forecast:
    """Return the forecast for a field of this size, whose strengths are spread as usual."""
    entrants = min(max(2, entrants), MOST)
    chain = _chain(rules.stages, entrants)
    if not chain:
        return Forecast(entrants)
    try:
        found = _recommended(tuple(one for one, _ in chain), chain[0][1])
        warnings = _warnings(chain)
        divisions = divisions_of(rules)
        planned = sum(_games(rules.stages[number], entrants) for number in divisions)
        days = sum(_rounds(*one) for one in chain) if rules.schedule.daily else 0
    except RulesError as problem:
        return Forecast(entrants, problem=problem.message)
    speed = games_per_second(rules.games_a_minute)
    repeated = rules.rotations  # each plays the games of a block again
    chosen = found.chosen
    return Forecast(
        chain[0][1],
        _choice(chosen, speed, repeated),
        chain[-1][0].groups > 1,
        round(200 * chosen.error),
        None if found.cheaper is None else _choice(found.cheaper, speed, repeated),
        None if found.better is None else _choice(found.better, speed, repeated),
        warnings,
        divisions=len(divisions) if len(divisions) > 1 else 0,
        season_games=planned * repeated,
        season_minutes=_minutes(planned * repeated, speed),
        days=days,
    )


def _games(division: StagePlan, entrants: int) -> int:
    """Return the games of a division as planned."""
    [source] = division.sources
    size = (source.last or entrants) - source.first + 1
    return plan(division.rules, _field(size)).games if size > 1 else 0


def _rounds(rules: StageRules, size: int) -> int:
    return len(plan(rules, _field(size)).rounds)


def _field(size: int) -> list[Entrant]:
    return [Entrant(at, at) for at in range(1, size + 1)]


def _minutes(games: float, speed: float) -> int:
    return max(1, round(games / speed / 60))


def _chain(stages: Sequence[StagePlan], entrants: int) -> list[tuple[StageRules, int]]:
    """Return the first stage and those that follow from it, each with the size of its field."""
    chain: list[tuple[StageRules, int]] = []
    for number, stage in enumerate(stages):
        [source, *others] = stage.sources
        if others or source.entrants or source.stage != (number - 1 if number else None):
            break
        coming = entrants
        if chain:
            before, size = chain[-1]
            most = (before.advance or size) * before.groups
            coming = min(size, most)
        last = min(coming, source.last or coming)
        size = last - source.first + 1
        if size < 2:
            break
        if stage.rules.field is not None:
            size = min(size, stage.rules.field)
        if chain and source.last is not None:
            before, former = chain[-1]
            chain[-1] = (_advancing(before, last), former)
        chain.append((stage.rules, size))
    return chain


def _advancing(rules: StageRules, count: int) -> StageRules:
    return replace(rules, advance=max(1, count // rules.groups))


@lru_cache(maxsize=128)
def _recommended(stages: tuple[StageRules, ...], entrants: int) -> Recommendation:
    spread = NormalDist(0.0, SPREAD)
    ratings = [(spread.inv_cdf(1 - (at + 0.5) / entrants), _SEED_ERROR) for at in range(entrants)]
    runs = max(_FEWEST, min(_RUNS, _WORK // entrants))
    return recommend(stages, ratings, runs=runs)


def _choice(found: Estimate, speed: float, rotations: int) -> Choice:
    first = found.stages[0]
    games = found.expected_games * rotations
    return Choice(
        first.format,
        first.players,
        first.blocks,
        round(100 * found.best_wins),
        round(games),
        _minutes(games, speed),
    )


def _warnings(chain: list[tuple[StageRules, int]]) -> tuple[Message, ...]:
    return tuple(one for rules, size in chain for one in plan(rules, _field(size)).warnings)
