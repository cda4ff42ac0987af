"""Plays by its own random numbers, sends notes, and remembers its news."""

import random

from damrak import Bot, Event, MatchInfo, Result, View


class Honest(Bot):
    name = "Honest Jan"

    def start(self, match: MatchInfo) -> None:
        self.told = 0

    def saw(self, event: Event) -> None:
        self.told += 1

    def choose(self, view: View) -> int:
        assert len(view.events) == self.told
        self.note = f"{self.told} events, {self.rng.random():.6f}, {random.random():.6f}"
        print(f"turn {view.turns}")  # noqa: T201
        return self.rng.choice(view.legal)

    def finish(self, result: Result) -> None:
        print(f"finished by {result.reason}")  # noqa: T201


class ByHash(Bot):
    """Decides by the order of a set of strings."""

    def choose(self, view: View) -> int:
        words = {view.describe(action) for action in view.legal}
        self.note = " | ".join(words)[:100]
        return view.legal[0]
