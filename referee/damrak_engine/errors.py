"""Everything the engine raises.

EngineError
├── BoardError       a board file that breaks its schema; names the field
├── OptionsError     an option name or value that does not exist
├── IllegalAction    an action the rules forbid in this state
├── MatchError       an arbiter used against its own protocol
└── ReplayError      a replay that is not true; names the first wrong place
"""

from __future__ import annotations


class EngineError(ValueError):
    """Root of the tree: catch this to catch them all."""


class BoardError(EngineError):
    """A board file is wrong; `field` says where, for example `routes[3].length`."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class OptionsError(EngineError):
    """An option or its value is unknown."""


class IllegalAction(EngineError):
    """The rules forbid this action now; the state has not changed."""

    def __init__(self, action: int, reason: str) -> None:
        super().__init__(f"action {action}: {reason}")
        self.action = action
        self.reason = reason


class MatchError(EngineError):
    """The caller fed the arbiter something that cannot happen."""


class ReplayError(EngineError):
    """A replay is wrong at `where` ("event 17", "header", "result", "hash", …)."""

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(f"{where}: expected {expected}")
        self.where = where
        self.expected = expected
