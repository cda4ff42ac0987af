"""Bots that return an illegal action, or a value of another type."""

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
    """Recovers after an illegal action."""

    tries = 0

    def choose(self, view: View) -> Any:
        self.tries += 1
        return -1 if self.tries < 3 else view.legal[0]


class ForeignInteger(Bot):
    """Returns an integer of an array library: not an int, but equivalent to one."""

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
