"""Bots that raise an exception."""

from damrak import Bot, Event, MatchInfo, Result, View


class Smallest(Bot):
    def choose(self, view: View) -> int:
        return view.legal[0]


class InConstructor(Smallest):
    def __init__(self) -> None:
        raise ValueError("here: constructor")


class InStart(Smallest):
    def start(self, match: MatchInfo) -> None:
        raise ValueError("here: start")


class InChoose(Smallest):
    def choose(self, view: View) -> int:
        if view.turns < 4:
            return self.rng.choice(view.legal)
        print("about to raise")  # noqa: T201
        raise ValueError("here: choose")


class InSaw(Smallest):
    def saw(self, event: Event) -> None:
        raise ValueError("here: saw")


class InFinish(Smallest):
    def finish(self, result: Result) -> None:
        raise ValueError("here: finish")


class InSawAtTheEnd(Smallest):
    def saw(self, event: Event) -> None:
        if event.kind == "end":
            raise ValueError("here: the last event")


class OddException(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text either")


class Oddly(Smallest):
    def choose(self, view: View) -> int:
        raise OddException


class HalfACharacter(Smallest):
    def choose(self, view: View) -> int:
        self.note = "\ud800"
        raise ValueError("half: \ud800, and long: " + "x" * 1_000_000)
