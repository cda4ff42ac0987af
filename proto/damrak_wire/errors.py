"""What every parser of this package raises."""

from __future__ import annotations


class WireError(ValueError):
    """A message is wrong at `where`, for example `decision.action`."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem

    def within(self, outer: str) -> WireError:
        """The same problem, seen from the message around it."""
        return WireError(f"{outer}.{self.where}", self.problem)
