"""Exceptions of ladders, boards and blocks.

MatchError
├── BadBoard       a file is not a valid board, or its name is not valid
├── BadLadder      a field of a ladder is not valid
├── BadTable       this block cannot be played
├── BadReport      the report is not about the matches of its block
├── NotAdmitted    the bot may not play on this ladder
├── StaleReport    the attempt is over, and another has been or will be made
└── UnknownBoard   there is no board of this name
"""

from __future__ import annotations

from damrak_ladder.message_codes import block_codes, ladder_codes
from damrak_ladder.message_codes.errors import MessageError
from damrak_ladder.message_codes.message import Message


class MatchError(MessageError):
    """Base class of these exceptions."""


class BadBoard(MatchError):
    """A file is not a valid board, or its name is not valid."""


class BadLadder(MatchError):
    """A field of a ladder is not valid."""

    def __init__(self, field: str, problem: Message) -> None:
        super().__init__(ladder_codes.FieldProblem(field, problem))
        self.field = field
        self.problem = problem


class BadTable(MatchError):
    """This block cannot be played."""


class BadReport(MatchError):
    """The report is not about the matches of its block."""


class NotAdmitted(MatchError):
    """The bot may not play on this ladder."""


class StaleReport(MatchError):
    """The attempt is over, and its results do not count."""

    def __init__(self, block: int, attempt: int) -> None:
        super().__init__(block_codes.AttemptOver(block, attempt))
        self.block = block
        self.attempt = attempt


class UnknownBoard(MatchError):
    """There is no board of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(ladder_codes.BoardUnknown(name))
        self.name = name
