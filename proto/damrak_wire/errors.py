"""Error of all parsers of this package."""

from __future__ import annotations


class WireError(ValueError):
    """An invalid message, wrong at `where`, for example `decision.action`."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem

    def within(self, outer: str) -> WireError:
        """Return the same problem with its place relative to the enclosing message."""
        return WireError(f"{outer}.{self.where}", self.problem)
