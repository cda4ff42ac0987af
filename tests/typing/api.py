"""The code of bot authors, as type checkers see it: two of them check this file; it is never run.

`assert_type` pins the types of the public API, so that any change becomes visible here.
"""

from typing import assert_type

from damrak import Bot, Event, MatchInfo, Result, View
from damrak_engine.state import State


class Smallest(Bot):
    """The minimal bot."""

    def choose(self, view: View) -> int:
        return view.legal[0]


class Complete(Bot):
    """A bot with every hook, which reads all parts of a view."""

    def __init__(self) -> None:
        self.seen = 0

    def start(self, match: MatchInfo) -> None:
        assert_type(match.seat, int)
        assert_type(match.seats, int)

    def saw(self, event: Event) -> None:
        self.seen += 1

    def choose(self, view: View) -> int:
        assert_type(view.seat, int)
        assert_type(view.legal, list[int])
        self.note = f"{self.seen} events seen"
        assert_type(view.determinize(), State)
        return self.rng.choice(view.legal)

    def finish(self, result: Result) -> None:
        assert_type(result.reason, str)


def hosts_may_list(bots: list[Bot]) -> list[str]:
    """Bots are interchangeable."""
    return [bot.name for bot in bots]


assert_type(hosts_may_list([Smallest(), Complete()]), list[str])
