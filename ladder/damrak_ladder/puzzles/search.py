"""The search for puzzles in a replay: decisions with one move surely better than two others.

A decision is judged by the information that the seat had, like the costs of decisions
(`analyses/costs.py`): the moves are tried in the same sampled positions with the same dice, and the
reference policy plays on. All decisions are examined briefly. The most promising ones are judged
twice, each time in new positions, and the second time in many more. Both times the 95 % interval of
the lead over either other move has to be above zero.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from damrak_engine.determinize import determinize
from damrak_engine.observation import Observation, observe
from damrak_engine.position import TURN
from damrak_engine.replay import Replay
from damrak_ladder.analyses.analysis import told
from damrak_ladder.analyses.costs import alternatives, tried
from damrak_ladder.analyses.course import Step, course_of
from damrak_ladder.analyses.rollouts import Estimate, mean

CHOICES: Final = 3
GLANCE: Final = 8  # sampled positions of the first look
JUDGED: Final = 120
CONFIRMED: Final = 400
LEAST: Final = 2.0  # points by which the best move has to lead in the first look and in the end
SUSPECTS: Final = 6  # decisions per match that are judged
MOST: Final = 2  # puzzles per match


@dataclass(frozen=True, slots=True)
class Found:
    """A puzzle: a decision of a seat, and the moves to choose from."""

    moment: int  # the latest event before the decision
    seat: int
    choices: tuple[dict[str, Any], ...]  # as in a replay, in the order in which they are shown
    best: int
    played: dict[str, Any]
    gains: tuple[Estimate, ...]  # for each choice: points by which the best one leads it


def puzzles_in(replay: Replay, effort: float = 1.0) -> list[Found]:
    """Return the puzzles of this replay; the same replay always has the same.

    Raises:
        ReplayError: the replay is not valid.
    """
    steps = [step for step in course_of(replay) if _is_open(step)]
    suspects = []
    for number, step in enumerate(steps):
        seen = observe(step.state, step.state.actor)
        suspect = _first_look(seen, step.action, f"{replay.hash}/puzzle/{number}", effort)
        if suspect is not None:
            suspects.append((suspect[0], number, suspect[1]))
    suspects.sort(reverse=True)
    found: list[Found] = []
    for _, number, moves in suspects[:SUSPECTS]:
        puzzle = _judged(steps[number], moves, f"{replay.hash}/puzzle/{number}", effort)
        if puzzle is not None:
            found.append(puzzle)
        if len(found) == MOST:
            break
    return found


def _is_open(step: Step) -> bool:
    """Return whether a turn begins here; the last round is left out, where counting is enough."""
    return step.action >= 0 and step.state.phase == TURN and not step.state.last_turns


def _first_look(
    seen: Observation, played: int, seed: str, effort: float
) -> tuple[float, tuple[int, ...]] | None:
    """Return how far the best-looking move seems ahead, and the moves with the best one first."""
    moves = [played, *alternatives(determinize(seen, _rng(seed)), played)]
    if len(moves) < CHOICES:
        return None
    sums = dict.fromkeys(moves, 0.0)
    worlds = max(2, round(GLANCE * effort))
    for number in range(worlds):
        for move, worth in tried(seen, moves, f"{seed}/glance", number).items():
            sums[move] += worth.leads[seen.seat]
    moves.sort(key=lambda move: (-sums[move], move))
    others = moves[1:CHOICES]
    if played not in moves[:CHOICES]:
        others[-1] = played  # what somebody really did is the most tempting mistake
    ahead = (sums[moves[0]] - sums[moves[1]]) / worlds
    return (ahead, (moves[0], *others)) if ahead >= LEAST else None


def _judged(step: Step, moves: tuple[int, ...], seed: str, effort: float) -> Found | None:
    seen = observe(step.state, step.state.actor)
    for name, worlds in (("judge", JUDGED), ("confirm", CONFIRMED)):
        gains = list(_gains(seen, moves, f"{seed}/{name}", max(4, round(worlds * effort))))
        if any(gain.low <= 0 for gain in gains):
            return None
    if any(gain.value < LEAST for gain in gains):
        return None
    order = list(range(CHOICES))
    _rng(f"{seed}/order").shuffle(order)
    nothing = Estimate(0.0, 0.0, 0.0)
    all_gains = (nothing, *gains)
    return Found(
        step.moment,
        step.state.actor,
        tuple(told(step.state, moves[at]) for at in order),
        order.index(0),
        told(step.state, step.action),
        tuple(all_gains[at] for at in order),
    )


def _gains(seen: Observation, moves: tuple[int, ...], seed: str, worlds: int) -> Iterator[Estimate]:
    """Yield by how many points the first move leads each of the others."""
    leads: list[list[float]] = [[] for _ in moves]
    for number in range(worlds):
        results = tried(seen, list(moves), seed, number)
        for line, move in zip(leads, moves, strict=True):
            line.append(results[move].leads[seen.seat])
    for line in leads[1:]:
        yield mean([best - other for best, other in zip(leads[0], line, strict=True)])


def _rng(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311
