"""Gives back what is no action, or no legal one."""

from typing import Any

from damrak import Bot, View


class Nothing(Bot):
    def choose(self, view: View) -> Any:
        return None


class Fraction(Bot):
    def choose(self, view: View) -> Any:
        return float(view.legal[0])


class Text(Bot):
    def choose(self, view: View) -> Any:
        return "draw blind"


class Truth(Bot):
    def choose(self, view: View) -> Any:
        return True


class Unhashable(Bot):
    def choose(self, view: View) -> Any:
        return [view.legal[0]]


class OffTheBoard(Bot):
    def choose(self, view: View) -> Any:
        return 10**30


class Illegal(Bot):
    def choose(self, view: View) -> Any:
        return next(action for action in range(300) if action not in view.legal)


class TwiceIllegal(Bot):
    """Learns in time."""

    tries = 0

    def choose(self, view: View) -> Any:
        self.tries += 1
        return -1 if self.tries < 3 else view.legal[0]


class ForeignInteger(Bot):
    """What an array library gives back: no int, but as good as one."""

    class Integer:
        def __init__(self, value: int) -> None:
            self.value = value

        def __index__(self) -> int:
            return self.value

    def choose(self, view: View) -> Any:
        return self.Integer(view.legal[-1])


class OddNote(Bot):
    def choose(self, view: View) -> Any:
        self.note: Any = [view.turns, "\udfff", "long" * 1000]
        return view.legal[0]
