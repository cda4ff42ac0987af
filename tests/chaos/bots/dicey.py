"""Chooses at random, from the seed that the referee provides."""

from damrak import Action, Bot, View


class Dicey(Bot):
    def choose(self, view: View) -> int | Action:
        claims = [claim.action for claim in view.affordable]
        self.note = f"{len(view.legal)} choices"
        return self.rng.choice(claims or view.legal)
