"""The chance of each entrant to win, from visible results only, and its score afterwards.

Strengths are drawn from their estimates, which are shrunk like the ratings of ladders, and the rest
of the stage is simulated, with the stages that follow from it. Brackets are followed exactly, other
formats as `rest_of_stage` describes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from damrak_ladder.ratings import Block
from damrak_ladder.tournaments import formats
from damrak_ladder.tournaments.disclosure import Disclosed
from damrak_ladder.tournaments.evidence import WIDE, Known, strengths, visible_games
from damrak_ladder.tournaments.formats import KNOCKOUTS
from damrak_ladder.tournaments.log.course import Course, field_of
from damrak_ladder.tournaments.log.rules import StagePlan
from damrak_ladder.tournaments.log.state import Stage
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.rest_of_stage import order_of
from damrak_ladder.tournaments.simulation.bracket_rest import NOBODY, champions
from damrak_ladder.tournaments.simulation.estimates import simulate
from damrak_ladder.tournaments.simulation.games import Floats, Integers

RUNS: Final = 1000
FEWEST_RUNS: Final = 100
_EFFORT: Final = 10_000_000
"""Simulated pairings of a forecast, at most; large fields have fewer runs."""

MOST_ALL_MEET: Final = 500
"""The largest field in which all meet that is forecast: the effort grows with its square."""

_MOST_FORECASTS: Final = 16
_MOST_OF_LARGE_FIELD: Final = 4
_LARGE_FIELD: Final = 200


@dataclass(frozen=True, slots=True)
class Forecast:
    """The chances after a number of rounds, by entrant.

    They add up to 1, or to 1 in each group if the chance is that of winning the group.
    """

    rounds: int
    chances: Mapping[int, float]

    def brier(self, winners: Collection[int]) -> float:
        """Return the Brier score: 0 is perfect, 2 the worst; equal chances give 1 - 1/n.

        With a winner for each group it is the mean over the groups.
        """
        errors = ((chance - (one in winners)) ** 2 for one, chance in self.chances.items())
        return sum(errors) / len(winners)


def can_forecast(stage: Stage) -> bool:
    """Return whether there are forecasts for this stage."""
    is_large = len(stage.entrants) > MOST_ALL_MEET
    return not (is_large and stage.plan.rules.format in ("round-robin", "groups"))


def is_by_group(stage: Stage, plans: Sequence[StagePlan]) -> bool:
    """Return whether the chances are those of winning a group, as no later stage decides."""
    return stage.plan.rules.groups > 1 and not following(stage, plans)


def forecast_rounds(played: int, entrants: int) -> list[int]:
    """Return after how many rounds there are forecasts: the last one, and up to 16 before it.

    These are multiples of a power of two, so that most stay when further rounds are played. Large
    fields have at most 4 of them.
    """
    step, most = 1, _MOST_FORECASTS if entrants <= _LARGE_FIELD else _MOST_OF_LARGE_FIELD
    while played > step * most:
        step *= 2
    return sorted({*range(0, played, step), played})


def following(stage: Stage, plans: Sequence[StagePlan]) -> tuple[int, ...]:
    """Return the stages after this one, if one leads to the next.

    Without them the forecast is about the stage itself, such as a division.
    """
    if stage.plan.rules.format in KNOCKOUTS:
        return ()
    chain = [stage.number]
    while after := [
        number
        for number, plan in enumerate(plans)
        if any(source.stage == chain[-1] for source in plan.sources)
    ]:
        plan = plans[after[0]]
        if len(after) > 1 or len(plan.sources) > 1:
            return ()
        chain.append(after[0])
    others = [plan for plan in plans if plan.sources[0].stage is None]
    return tuple(chain[1:]) if len(others) < 2 else ()


def forecast(tournament: Tournament, seen: Disclosed, stage: Stage, rounds: int) -> Forecast:
    """Return the forecast after this number of rounds of a stage, all of them visible."""
    return _forecast(tournament, _until(seen, stage, rounds), stage.number, rounds)


def _until(seen: Disclosed, stage: Stage, rounds: int) -> Disclosed:
    """Return what was visible after this number of rounds of the stage."""
    state = seen.state.copy()
    later = [number for number in state.stages if number > stage.number]
    for number in later:
        del state.stages[number]
    state.stages[stage.number] = replace(stage, rounds=stage.rounds[: rounds + 1])
    keys = {made.key for made in state.rounds()}
    verdicts = {key: found for key, found in seen.course.verdicts.items() if key in keys}
    hidden = set(seen.hidden)
    if len(stage.rounds) > rounds:  # its pairings are known, its results are not
        key = stage.rounds[rounds].key
        hidden |= {one.pairing.key for one in verdicts[key]}
        verdicts[key] = tuple(replace(one, result=None) for one in verdicts[key])
    return Disclosed(state, Course(verdicts), seen.is_organiser, frozenset(hidden))


def _forecast(tournament: Tournament, seen: Disclosed, number: int, rounds: int) -> Forecast:
    stage = seen.state.stages[number]
    field = field_of(seen.state, stage)
    random = np.random.default_rng([number, rounds])
    runs = _runs(stage)
    drawn = _drawn(seen, stage, runs, visible_games(tournament, seen), random)
    rules = stage.plan.rules
    if rules.format in KNOCKOUTS:
        slots = formats.bracket(rules, field, seen.course.played(stage))
        columns = {entrant: at for at, entrant in enumerate(stage.entrants)}
        gone = [entrant for entrant in stage.entrants if not seen.state.is_in(entrant)]
        won = champions(rules, slots, columns, drawn, random, gone)
    else:
        order = order_of(seen, stage, drawn, random)
        if is_by_group(stage, seen.state.rules.stages):
            won = order[:, : rules.groups].ravel()  # the firsts come first
        else:
            won = _winners(seen, stage, order, drawn, random)
    share = np.bincount(won[won != NOBODY], minlength=len(stage.entrants)) / len(drawn)
    return Forecast(rounds, {one: float(share[at]) for at, one in enumerate(stage.entrants)})


def _runs(stage: Stage) -> int:
    """Return the number of runs, so that the effort is bounded."""
    count, rules = len(stage.entrants), stage.plan.rules
    meets_all = rules.format in ("round-robin", "groups")
    each = count * count // 2 if meets_all else count * 16
    return max(FEWEST_RUNS, min(RUNS, _EFFORT // max(1, each)))


def _winners(
    seen: Disclosed, stage: Stage, order: Integers, drawn: Floats, random: np.random.Generator
) -> Integers:
    """Return the columns of those that win after all following stages."""
    plans, rows = seen.state.rules.stages, np.arange(len(drawn))[:, None]
    before = stage.plan
    for number in following(stage, plans):
        [source] = plans[number].sources
        if source.first == 1 and source.last is None:
            most = None if before.rules.advance is None else before.rules.advance
            last = None if most is None else most * before.rules.groups
        else:
            last = source.last
        order = order[:, source.first - 1 : last]
        if order.shape[1] < 2:
            break
        found = simulate(plans[number].rules, drawn[rows, order], random).ranking
        order = np.take_along_axis(order, found, axis=1)
        before = plans[number]
    won: Integers = order[:, 0]
    return won


def _drawn(
    seen: Disclosed, stage: Stage, runs: int, games: Sequence[Block], random: np.random.Generator
) -> Floats:
    """Return strengths of the entrants in Elo, one row for each run."""
    known = strengths(games)
    middle = sum(one.elo for one in known.values()) / len(known) if known else 0.0
    unknown = Known(middle, WIDE, 0)
    each = [known.get(seen.state.entrants[one].bot, unknown) for one in stage.entrants]
    means = np.array([one.elo for one in each])
    errors = np.array([min(one.error, WIDE) for one in each])
    drawn: Floats = means + errors * random.standard_normal((runs, len(each)))
    return drawn
