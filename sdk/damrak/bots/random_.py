"""The house bot `random`: every legal action is as good as any other."""

from __future__ import annotations

from damrak.bot import Bot
from damrak.view import View


class RandomBot(Bot):
    """Plays at random."""

    name = "random"

    def choose(self, view: View) -> int:
        return self.rng.choice(view.legal)
