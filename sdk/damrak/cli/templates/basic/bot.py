"""A bot for the Amsterdam cart game. `damrak play . greedy` plays it."""

from damrak import Action, Bot, View


class MyBot(Bot):
    """Claims the route worth most that it can pay for, and else draws a card."""

    def choose(self, view: View) -> int | Action:
        if view.affordable:
            best = max(view.affordable, key=lambda claim: claim.points)
            return best.payment
        return view.legal[0]
