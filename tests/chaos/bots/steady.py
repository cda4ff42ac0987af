"""Claims the route with the most points, or draws; equal positions always give equal decisions."""

from damrak import Action, Bot, View


class Steady(Bot):
    def choose(self, view: View) -> int | Action:
        if view.affordable:
            return max(view.affordable, key=lambda claim: (claim.points, claim.action)).action
        return view.legal[0]
