"""The cost of decisions, judged by the information that the seat had.

Full positions are drawn that the seat could not distinguish from the true one. In each of them the
action that was played and alternatives are tried, and the reference policy plays on. All actions
are tried in the same positions and with the same dice.

All decisions are first examined briefly. The worst ones are then judged again with new positions,
since the worst of many small samples always looks worse than it is (selection bias).
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from damrak_engine.actions import BLIND, FIRST_CLAIM, KEEP_BOTH, KEEP_FIRST, OFFER, TAKE
from damrak_engine.cards import counts
from damrak_engine.determinize import determinize
from damrak_engine.dice import QuickDice
from damrak_engine.observation import Observation, observe
from damrak_engine.position import KEEP, SETUP
from damrak_engine.state import State
from damrak_ladder.analyses.board_index import Ground, ground_of
from damrak_ladder.analyses.course import Step
from damrak_ladder.analyses.policy import Policy
from damrak_ladder.analyses.rollouts import Estimate, Worth, chance_of, mean, play_on

BUDGET: Final = 200_000  # decisions in all tries of the first look together
FEWEST: Final = 6
MOST: Final = 40
CLAIMS: Final = 3  # alternative routes that are tried
SUSPECTS: Final = 5  # decisions per seat that are judged again
JUDGED: Final = 120  # positions for judging each of them


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a decision compared with a better alternative."""

    step: int
    seat: int
    played: int
    better: int
    points: Estimate  # of the lead at the end
    chance: Estimate  # of winning
    worlds: int


def costs_along(steps: list[Step], seed: str, effort: float = 1.0) -> list[Cost]:
    """Return the decisions that seem to have cost most, seat by seat, worst first."""
    judged = max(2, int(JUDGED * effort))
    length = len(steps)
    open_ = [i for i, step in enumerate(steps) if _is_choice(step)]
    games = 4 * sum([length - i for i in open_]) + 1
    tries = max(1, int(max(FEWEST, min(MOST, BUDGET // games)) * effort))
    suspects: dict[int, list[tuple[float, int, int]]] = {}
    for number in open_:
        step = steps[number]
        seen = observe(step.state, step.state.actor)
        better, lost = first_look(seen, step.action, f"{seed}/look/{number}", tries)
        if lost > 0:
            suspects.setdefault(seen.seat, []).append((lost, number, better))
    found: list[Cost] = []
    for seat in sorted(suspects):
        worst = sorted(suspects[seat], reverse=True)[:SUSPECTS]
        costs = []
        for _, number, better in worst:
            step = steps[number]
            seen = observe(step.state, seat)
            points, chance = judge(seen, step.action, better, f"{seed}/judge/{number}", judged)
            costs.append(Cost(number, seat, step.action, better, points, chance, judged))
        found += sorted(costs, key=lambda cost: -cost.points.value)
    return found


def first_look(seen: Observation, played: int, seed: str, worlds: int) -> tuple[int, float]:
    """Return the best-looking alternative to the played action, and how much better it looks."""
    world = determinize(seen, _rng(seed))
    others = alternatives(world, played)
    if not others:
        return played, 0.0
    sums = dict.fromkeys([played, *others], 0.0)
    for number in range(worlds):
        for action, worth in tried(seen, list(sums), seed, number).items():
            sums[action] += worth.leads[seen.seat]
    better = max(others, key=lambda action: (sums[action], -action))
    return better, (sums[better] - sums[played]) / worlds


def judge(
    seen: Observation, played: int, better: int, seed: str, worlds: int
) -> tuple[Estimate, Estimate]:
    """Return the loss of playing this action instead of that, in lead and in chance of winning."""
    points, chances = [], []
    seat = seen.seat
    for number in range(worlds):
        results = tried(seen, [played, better], seed, number)
        points.append(results[better].leads[seat] - results[played].leads[seat])
        chances.append(results[better].shares[seat] - results[played].shares[seat])
    return mean(points), mean(chances)


def alternatives(world: State, played: int) -> list[int]:
    """Return a few sensible actions that differ in effect from the one played.

    They depend only on what the actor knows, so they are the same in all positions that the actor
    cannot distinguish.
    """
    legal = world.legal_actions()
    if world.phase in (SETUP, KEEP):
        return [
            action for action in legal if KEEP_FIRST <= action <= KEEP_BOTH and action != played
        ]
    ground = ground_of(world.rules)
    policy = Policy(ground)
    preferred = policy.choose(world)
    seat = world.actor
    hand = counts(world.hands[seat])
    mask = world.legal_mask()
    row = world.row
    needed = policy.needed(world, seat)
    routes = sorted(
        {ground.route_of(action) for action in legal if action >= FIRST_CLAIM},
        key=lambda i: (not needed >> i & 1, -ground.points[i], i),
    )
    chosen = [preferred]
    chosen += [policy.payment(i, mask, hand) for i in routes[:CLAIMS]]
    chosen += [action for action in legal if action == BLIND or TAKE <= action <= OFFER]
    if len(chosen) == 1:
        chosen += legal[:1]
    names = {_name(ground, row, played)}
    found = []
    for action in chosen:
        name = _name(ground, row, action)
        if name not in names:
            names.add(name)
            found.append(action)
    return found


def _name(ground: Ground, row: list[int], action: int) -> tuple[str, int]:
    """Return the effect of an action: cards of the row by kind, claims by route."""
    if action >= FIRST_CLAIM:
        return "claim", ground.route_of(action)
    if TAKE <= action < OFFER:
        return "take", row[action - TAKE]
    return "action", action


def tried(seen: Observation, actions: list[int], seed: str, number: int) -> dict[int, Worth]:
    """Return the results of these actions in one position consistent with the seat's knowledge."""
    world = determinize(seen, _rng(f"{seed}/world/{number}"))
    found = {}
    for action in actions:
        state = world.copy()
        chance = chance_of(seed, number)
        state.apply(action, QuickDice(chance.random))
        found[action] = play_on(state, chance, whims=0)
    return found


def _rng(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311


def _is_choice(step: Step) -> bool:
    return step.action >= 0 and len(step.state.legal_actions()) > 1
