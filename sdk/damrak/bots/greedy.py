"""The house bot `greedy`: the most points per card, without looking ahead."""

from __future__ import annotations

from damrak.bot import Bot
from damrak.view import View
from damrak_engine.actions import Action, DrawBlind, KeepContracts, TakeCard
from damrak_engine.cards import Card


class GreedyBot(Bot):
    """Claims the route worth most per card, and otherwise collects what it has most of."""

    name = "greedy"

    def choose(self, view: View) -> int | Action:
        if view.is_offer:
            return self._keep(view)
        if view.affordable:
            best = max(view.affordable, key=lambda it: (it.points / it.route.length, it.points))
            return best.payment
        draws = [action for action in view.actions if isinstance(action, DrawBlind | TakeCard)]
        if draws:
            return max(draws, key=lambda draw: self._liking(view, draw))
        return view.legal[-1]

    def _keep(self, view: View) -> Action:
        """Return the choice of the contract that needs the fewest spaces.

        The bot does not work towards it, but may happen to fulfil it.
        """
        spaces = [held.path.spaces if held.path else view.carts for held in view.offer]
        first = spaces[0] == min(spaces)
        return KeepContracts(first, not first)

    def _liking(self, view: View, draw: DrawBlind | TakeCard) -> float:
        """Return the number of cards of its colour in the hand; a blind card may be a wild."""
        card = view.row[draw.slot] if isinstance(draw, TakeCard) else None
        if card is None:
            return 0.5
        return 0.4 if card is Card.WILD else float(view.hand[card])
