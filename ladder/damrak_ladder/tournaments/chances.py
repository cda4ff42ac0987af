"""The chance of each entrant to win, from visible results only, and its score afterwards.

Strengths are drawn from their estimates, which are shrunk like the ratings of ladders, and the rest
of the stage is simulated, with the stages that follow from it. Brackets are followed exactly, other
formats as `rest_of_stage` describes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from damrak_ladder.tournaments.simulation.bracket_rest import champions
from damrak_ladder.tournaments.simulation.estimates import SIMULATED, simulate
from damrak_ladder.tournaments.simulation.games import Floats, Integers

RUNS: Final = 1000
FEWEST_RUNS: Final = 100
_EFFORT: Final = 20_000_000
"""Simulated pairings of a forecast, at most; large fields have fewer runs."""

_MOST_ALL_MEET: Final = 400
"""The largest field in which all meet that is forecast."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The chances after a number of rounds, by entrant; they add up to 1."""

    rounds: int
    chances: Mapping[int, float]

    def brier(self, winner: int) -> float:
        """Return the Brier score: 0 is perfect, 2 the worst; equal chances give 1 - 1/n."""
        return sum((chance - (one == winner)) ** 2 for one, chance in self.chances.items())


def can_forecast(stage: Stage, plans: Sequence[StagePlan] = ()) -> bool:
    """Return whether there are forecasts for this stage; `plans` are all of the tournament.

    Groups have several winners, so they are forecast only if a later stage decides between them.
    """
    rules = stage.plan.rules
    if rules.format in KNOCKOUTS:
        return rules.players == 2
    if rules.format in ("round-robin", "groups") and len(stage.entrants) > _MOST_ALL_MEET:
        return False
    return rules.groups == 1 or bool(following(stage, plans))


def following(stage: Stage, plans: Sequence[StagePlan]) -> tuple[int, ...]:
    """Return the stages after this one, if one leads to the next and all can be simulated.

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
        if len(after) > 1 or len(plan.sources) > 1 or plan.rules.format not in SIMULATED:
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
        won = champions(rules, slots, columns, drawn, random)
    else:
        order = order_of(seen, stage, drawn, random)
        won = _winners(seen, stage, order, drawn, random)
    counts = np.bincount(won, minlength=len(stage.entrants))
    share = counts / counts.sum()
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
