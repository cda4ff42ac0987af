"""Separation of luck from play.

The effect of chance on a seat is the difference between the value of its position after cards were
drawn and the mean value over all cards that might have been drawn. Such differences have mean zero
for any players and any judge of value; a better judge only finds more of the luck. The judge here
is the reference policy: the value of a position is the lead, in points, at the end of its rollouts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from damrak_engine.deal import new_game
from damrak_engine.dice import QuickDice
from damrak_engine.replay import Replay
from damrak_engine.rules import rules_for
from damrak_ladder.analyses.course import Step
from damrak_ladder.analyses.rollouts import (
    Z95,
    Estimate,
    chance_of,
    mean_and_error,
    play_on,
    worth_of,
)

BUDGET: Final = 250_000  # decisions in all tries together
FEWEST: Final = 24
MOST: Final = 300
DEALS: Final = 300  # other deals, for comparison with the actual one


@dataclass(frozen=True, slots=True)
class Luck:
    """The components of one seat's lead, in points. Play is the result minus luck."""

    result: float
    turn: Estimate  # the mean value of moving first, second …
    deal: Estimate  # the cards and contracts dealt
    draws: Estimate  # all later draws
    play: Estimate  # the effect of all seats' decisions on this one


def tries_for(steps: Sequence[Step], budget: int = BUDGET) -> int:
    """Return the number of pairs of games for each draw."""
    games = sum([len(steps) - i for i, step in enumerate(steps) if step.was_chance])
    return max(FEWEST, min(MOST, budget // (2 * games + 1)))


def luck_of(
    replay: Replay,
    steps: list[Step],
    seed: str,
    tries: int,
    deals: int = DEALS,
) -> list[Luck]:
    """Return the luck of every seat.

    Each draw is judged by `tries` pairs of games, the deal by `deals` games and other deals. These
    rollouts have no random actions, which would double the spread; luck has mean zero without them,
    too.
    """
    seats = range(len(replay.seats))
    ordinary = _other_deals(replay, steps[0].state.first, f"{seed}/deals", deals)
    from_the_deal = [
        play_on(steps[0].state.copy(), chance_of(f"{seed}/deal", number), whims=0).leads
        for number in range(deals)
    ]
    draws = [0.0 for _ in seats]
    variances = [0.0 for _ in seats]
    for number, step in enumerate(steps):
        if step.was_chance:
            differences = _difference(step, steps[number + 1], f"{seed}/{number}", tries)
            for seat in seats:
                value, error = mean_and_error(differences[seat])
                draws[seat] += value
                variances[seat] += error * error
    results = worth_of(replay.result).leads
    found = []
    for seat in seats:
        usual, usual_error = mean_and_error(ordinary[seat])
        dealt, dealt_error = mean_and_error([leads[seat] for leads in from_the_deal])
        drawn_error = math.sqrt(variances[seat])
        played = results[seat] - dealt - draws[seat]
        found.append(
            Luck(
                results[seat],
                _estimate(usual, usual_error),
                _estimate(dealt - usual, math.hypot(dealt_error, usual_error)),
                _estimate(draws[seat], drawn_error),
                _estimate(played, math.hypot(dealt_error, drawn_error)),
            )
        )
    return found


def _difference(step: Step, following: Step, seed: str, tries: int) -> list[list[float]]:
    """Return for each seat the leads after the actual draw minus those after other draws."""
    differences: list[list[float]] = [[] for _ in following.state.hands]
    for number in range(tries):
        other = step.state.copy()
        dice = QuickDice(chance_of(f"{seed}/draw", number).random)
        if step.action >= 0:
            other.apply(step.action, dice)
        else:
            seat, reason = following.state.left[-1]
            other.leave(seat, reason, "", dice)
        usual = play_on(other, chance_of(seed, number), whims=0).leads
        came = play_on(following.state.copy(), chance_of(seed, number), whims=0).leads
        for seat, pair in enumerate(zip(came, usual, strict=True)):
            differences[seat].append(pair[0] - pair[1])
    return differences


def _other_deals(replay: Replay, first: int, seed: str, deals: int) -> list[list[float]]:
    """Return for each seat the leads after other deals, with the same seat moving first."""
    seats = len(replay.seats)
    rules = rules_for(replay.board, seats, replay.options)
    named = first if replay.options.first_player == "rotate" else None
    by_turn: list[list[float]] = [[] for _ in range(seats)]
    for number in range(deals):
        chance = chance_of(seed, number)
        state = new_game(rules, QuickDice(chance.random), None, named)
        begins = state.first
        leads = play_on(state, chance, whims=0).leads
        for seat, lead in enumerate(leads):
            by_turn[(seat - begins) % seats].append(lead)
    return [by_turn[(seat - first) % seats] for seat in range(seats)]


def _estimate(value: float, error: float) -> Estimate:
    return Estimate(value, value - Z95 * error, value + Z95 * error)
