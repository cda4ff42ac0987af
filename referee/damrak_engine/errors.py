"""Exceptions of the engine.

EngineError
├── BoardError       an invalid board file; names the field
├── OptionsError     an unknown option name or value
├── IllegalAction    an action the rules forbid in this state
├── MatchError       a violation of the arbiter's protocol by its caller
└── ReplayError      an invalid replay; names the first wrong place
"""

from __future__ import annotations


class EngineError(ValueError):
    """Base class of all exceptions of the engine."""


class BoardError(EngineError):
    """An invalid board file; `field` is the wrong place, for example `routes[3].length`."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class OptionsError(EngineError):
    """An unknown option, or an unknown value of an option."""


class IllegalAction(EngineError):
    """An action that the rules forbid now; the state has not changed."""

    def __init__(self, action: int, reason: str) -> None:
        super().__init__(f"action {action}: {reason}")
        self.action = action
        self.reason = reason


class MatchError(EngineError):
    """An impossible input to the arbiter, which is a mistake of its caller."""


class ReplayError(EngineError):
    """An invalid replay, wrong at `where` ("event 17", "header", "result", "hash", …)."""

    def __init__(self, where: str, expected: str) -> None:
        super().__init__(f"{where}: expected {expected}")
        self.where = where
        self.expected = expected
