"""Exceptions of the log.

LogError
├── BadRules      a field of the rules is not valid
├── BadPayload    a field of the payload of an act is not valid
└── NotPossible   the act is not possible in this state
"""

from __future__ import annotations

from damrak_ladder.message_codes.errors import MessageError
from damrak_ladder.message_codes.ladder_codes import FieldProblem
from damrak_ladder.message_codes.message import Message


class LogError(MessageError):
    """Base class of these exceptions; `cure` tells the organiser what to do instead."""

    cure: Message | None = None


class BadRules(LogError):
    """A field of the rules is not valid."""

    def __init__(self, field: str, problem: Message) -> None:
        super().__init__(FieldProblem(field, problem))
        self.field = field
        self.problem = problem


class BadPayload(LogError):
    """A field of the payload of an act is not valid."""

    def __init__(self, field: str, problem: Message) -> None:
        super().__init__(FieldProblem(field, problem))


class NotPossible(LogError):
    """The act is not possible in this state."""

    def __init__(self, message: Message, cure: Message | None = None) -> None:
        super().__init__(message)
        self.cure = cure
