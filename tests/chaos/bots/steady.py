"""Claims what pays best and otherwise draws; the same position always gives the same answer."""

from damrak import Action, Bot, View


class Steady(Bot):
    def choose(self, view: View) -> int | Action:
        if view.affordable:
            return max(view.affordable, key=lambda claim: (claim.points, claim.action)).action
        return view.legal[0]
