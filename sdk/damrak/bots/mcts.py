"""The house bot `mcts`: information-set Monte-Carlo tree search, guided by the planner.

A game with hidden cards cannot be searched like one with open cards. So every iteration draws
another world: a full state consistent with what the seat knows (`determinize`). It descends one
common tree, whose branches are decisions as all seats see them, then lets the planner play all
seats to the end, and adds the result to the branches on its path.

The planner helps twice: its own choice is tried first and most often, and only sensible actions are
tried beside it. The rest is the usual trade-off of exploration: the more often a branch was tried,
the better its results must be for another try.
"""

from __future__ import annotations

import math
import time
from typing import Final

from damrak.bot import Bot, MatchInfo
from damrak.bots.planner import Planner
from damrak.view import View
from damrak_engine.actions import BLIND, FIRST_CLAIM, OFFER, TAKE
from damrak_engine.cards import counts
from damrak_engine.dice import QuickDice
from damrak_engine.observation import Observation, observe
from damrak_engine.position import OVER
from damrak_engine.scoring import totals
from damrak_engine.state import State

CURIOSITY: Final = 0.5  # exploration constant: how strongly rarely tried branches are preferred
TRUST: Final = 0.3  # prior of the planner's own choice; the other choices share the rest equally
CLAIMS: Final = 5  # maximum number of claims tried beside the planner's choice
GROWTH: Final = 40  # tries after which a branch gets child branches
MARGIN: Final = 8.0  # in points; scale of the logistic function that turns a lead into a value


class Branch:
    """A decision in the tree: its number of tries, and the summed results of the deciding seat."""

    __slots__ = ("branches", "total", "tries")

    def __init__(self) -> None:
        self.tries = 0
        self.total = 0.0
        self.branches: dict[int, Branch] = {}


class Search:
    """The search for one decision."""

    def __init__(self, planner: Planner, seen: Observation, legal: int) -> None:
        self._planner = planner
        self.root = Branch()
        self.choices = sensible(planner, seen, legal)

    def try_world(self, state: State, dice: QuickDice) -> None:
        """Run one iteration: descend the tree in this world, play it out, and record the result."""
        choices = self.choices
        branch = self.root
        path: list[tuple[Branch, int]] = []
        while True:
            seat = state.actor
            name = self._most_promising(branch, choices)
            state.apply(choices[name], dice)
            branch = branch.branches.setdefault(name, Branch())
            path.append((branch, seat))
            if branch.tries < GROWTH or state.phase == OVER:
                break
            seen = observe(state, state.actor)
            choices = sensible(self._planner, seen, state.legal_mask())
        play_out(state, self._planner, dice)
        values = worths(state)
        self.root.tries += 1
        for branch, seat in path:
            branch.tries += 1
            branch.total += values[seat]

    def best(self) -> int:
        """Return the action that was tried most often."""
        tried = self.root.branches
        return self.choices[max(tried, key=lambda name: (tried[name].tries, tried[name].total))]

    def _most_promising(self, branch: Branch, choices: dict[int, int]) -> int:
        """Return the choice with the highest sum of mean result and exploration bonus."""
        tries = [branch.branches.get(name) for name in choices]
        known = sum([child.tries for child in tries if child])
        mean = sum([child.total for child in tries if child]) / known if known else 0.5
        reach = CURIOSITY * math.sqrt(known + 1)
        trust = TRUST
        others = (1 - TRUST) / max(1, len(choices) - 1)
        best, found = -1.0, -1
        for name, child in zip(choices, tries, strict=True):
            if child is None:
                value = mean + reach * trust
            else:
                value = (child.total + mean) / (child.tries + 1)
                value += reach * trust / (child.tries + 1)
            if value > best:
                best, found = value, name
            trust = others
        return found


def sensible(planner: Planner, seen: Observation, legal: int) -> dict[int, int]:
    """Map names that are the same in every world to the actions worth trying, the planner's first.

    Face-up cards are named by kind and claims by route: only the cheapest payment is considered.
    """
    first = planner.decide(seen, legal)
    choices = {_name(planner, seen, first): first}
    candidates = [action for action in range(FIRST_CLAIM) if legal >> action & 1]
    if legal >> FIRST_CLAIM:
        hand = counts(seen.hand)
        wishes = planner.wishes(seen, legal, hand)
        routes = [i for _, i, _ in wishes if legal & planner.chart.claims[i]]
        candidates += [planner.chart.cheapest_payment(i, legal, hand) for i in routes[:CLAIMS]]
    for action in candidates:
        choices.setdefault(_name(planner, seen, action), action)
    return choices


def _name(planner: Planner, seen: Observation, action: int) -> int:
    if action >= FIRST_CLAIM:
        return FIRST_CLAIM + planner.chart.rules.claims[action - FIRST_CLAIM].route
    if BLIND < action < OFFER:
        return -1 - seen.row[action - TAKE]
    return action


def play_out(state: State, planner: Planner, dice: QuickDice) -> None:
    """Let the planner play every seat to the end."""
    while state.phase != OVER:
        state.apply(planner.decide(observe(state, state.actor), state.legal_mask()), dice)


def worths(state: State) -> list[float]:
    """Return the value of a finished game for each seat, from 0 to 1: half victory, half margin."""
    final = totals(state)
    values = []
    for seat, total in enumerate(final):
        lead = total - max(other for i, other in enumerate(final) if i != seat)
        won = 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
        values.append((won + 1 / (1 + math.exp(-lead / MARGIN))) / 2)
    return values


class MctsBot(Bot):
    """Searches for a share of the time it has left, or `ms` milliseconds a decision.

    With `iterations` it tries that number of worlds instead, so that equal seeds give equal games.
    """

    name = "mcts"

    def __init__(self, ms: int = 0, iterations: int = 0) -> None:
        self.ms = ms
        self.iterations = iterations

    def start(self, match: MatchInfo) -> None:
        self.planner = Planner(match.rules)
        self.increment = match.control.increment_ms / 1000

    def choose(self, view: View) -> int:
        if len(view.legal) == 1:
            return view.legal[0]
        until = time.monotonic() + self._seconds(view)
        search = Search(self.planner, view.observation, sum(1 << a for a in view.legal))
        if len(search.choices) == 1:
            return next(iter(search.choices.values()))
        dice = QuickDice(self.rng.random)
        while time.monotonic() < until or not search.root.tries:
            search.try_world(view.determinize(self.rng), dice)
            if search.root.tries == self.iterations:
                break
        return search.best()

    def _seconds(self, view: View) -> float:
        """Return the thinking time for this decision: at most half of the time left."""
        left = view.time_left
        most = left.us / 2_000_000
        if self.iterations:
            return most
        if self.ms:
            return min(most, self.ms / 1000)
        return min(most, left.bank_us / 20_000_000 + 0.8 * self.increment)
