"""A bot that searches: it plays games to their end. `damrak play . greedy` plays it."""

import math
import time

from damrak import Action, Bot, ClaimRoute, MatchInfo, View
from damrak.bots.planner import Planner
from damrak_engine.dice import QuickDice
from damrak_engine.observation import observe
from damrak_engine.scoring import totals
from damrak_engine.state import State

CLAIMS = 5  # how many routes to consider
EXPLORE = 10.0  # in points: the higher, the more tries go to actions that seem weaker


class SearchBot(Bot):
    """Tries each sensible action in many possible worlds, and chooses the one with the best mean.

    A world is a full game that agrees with what the bot has seen: `view.determinize()` draws the
    hidden cards. A try applies an action and lets the house bot `planner` play all seats to the
    end. UCB1 decides which action to try next: promising ones more often.
    """

    milliseconds = 100  # for a decision, unless the clock is shorter

    def start(self, match: MatchInfo) -> None:
        self.planner = Planner(match.rules)
        self.dice = QuickDice(self.rng.random)

    def choose(self, view: View) -> int | Action:
        actions = candidates(view)
        if len(actions) == 1:
            return actions[0]
        until = time.monotonic() + min(self.milliseconds / 1000, view.time_left.us / 20_000_000)
        tries = dict.fromkeys(actions, 0)
        sums = dict.fromkeys(actions, 0.0)
        number = 0
        while time.monotonic() < until:
            number += 1
            action = max(actions, key=lambda a: ucb(tries[a], sums[a], number))
            tries[action] += 1
            sums[action] += self.lead_after(action, view.determinize(self.rng), view.seat)
        self.note = f"{number} games"
        return max(actions, key=lambda a: (tries[a], sums[a]))

    def lead_after(self, action: int, world: State, seat: int) -> int:
        """Return the lead in points over the best opponent at the end of one game."""
        world.apply(action, self.dice)
        while not world.is_over:
            legal = world.legal_mask()
            world.apply(self.planner.decide(observe(world, world.actor), legal), self.dice)
        final = totals(world)
        return final[seat] - max(total for i, total in enumerate(final) if i != seat)


def candidates(view: View) -> list[int]:
    """Return the actions to try: all but claims, and the cheapest payments of the best routes."""
    claims = sorted(view.affordable, key=lambda claim: claim.points, reverse=True)
    others = [
        action
        for action, typed in zip(view.legal, view.actions, strict=True)
        if not isinstance(typed, ClaimRoute)
    ]
    return [*(claim.action for claim in claims[:CLAIMS]), *others] or view.legal


def ucb(tries: int, total: float, number: int) -> float:
    """Return the mean of an action plus a bonus for few tries."""
    if not tries:
        return math.inf
    return total / tries + EXPLORE * math.sqrt(math.log(number) / tries)
