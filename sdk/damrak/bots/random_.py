"""The house bot `random`: chooses uniformly among the legal actions."""

from __future__ import annotations

from damrak.bot import Bot
from damrak.view import View


class RandomBot(Bot):
    """Plays at random."""

    name = "random"

    def choose(self, view: View) -> int:
        return self.rng.choice(view.legal)
