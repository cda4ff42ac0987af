"""The house bot `mcts`: information-set Monte-Carlo tree search, guided by the planner.

Nobody can search a game whose cards are hidden as if they lay open. So every round of the search
draws another world: a full state that agrees with all that the seat knows (`determinize`). It goes
down one common tree, whose branches are decisions as everybody sees them, then lets the planner
play all seats to the end, and adds what came out to the branches it took.

The planner helps twice: its own choice is tried first and most, and only sensible actions are
tried beside it. The rest is arithmetic: the more often a branch was tried, the better it has to
do to be tried again.
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

CURIOSITY: Final = 0.5  # how strongly little-tried branches are preferred
TRUST: Final = 0.3  # the part of the curiosity that goes to the planner's own choice
CLAIMS: Final = 5  # so many claims are tried beside it
GROWTH: Final = 40  # a branch tried this often gets branches of its own
MARGIN: Final = 8.0  # points; a lead of so many counts most of the way to certain victory


class Branch:
    """A decision in the tree: how often it was tried, and how well it went for who made it."""

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
        """Go down the tree in this world, play it to its end, and learn from the result."""
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
        """The action tried most."""
        tried = self.root.branches
        return self.choices[max(tried, key=lambda name: (tried[name].tries, tried[name].total))]

    def _most_promising(self, branch: Branch, choices: dict[int, int]) -> int:
        """The choice with the best mean result and bonus for being little known."""
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
    """The actions worth trying by a name that means the same in every world, the planner's first.

    Cards of the row go by kind, claims by route: of several payments the cheapest will do.
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
    """What a finished game is worth to each seat, from 0 to 1: half victory, half margin."""
    final = totals(state)
    values = []
    for seat, total in enumerate(final):
        lead = total - max(other for i, other in enumerate(final) if i != seat)
        won = 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
        values.append((won + 1 / (1 + math.exp(-lead / MARGIN))) / 2)
    return values


class MctsBot(Bot):
    """Searches for a share of the time it has left, or `ms` milliseconds a decision.

    With `iterations` it tries so many worlds instead: then equal seeds give equal games.
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
        """How long to think: never more than half of what is left."""
        left = view.time_left
        most = left.us / 2_000_000
        if self.iterations:
            return most
        if self.ms:
            return min(most, self.ms / 1000)
        return min(most, left.bank_us / 20_000_000 + 0.8 * self.increment)
