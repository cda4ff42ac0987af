"""Messages about the best moves of puzzles."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Message


class ScoresAtOnce(Message, code="puzzle-points"):
    """The claim scores points."""

    points: int


class BringsGoods(Message, code="puzzle-goods"):
    """The claim brings a goods card."""


class FulfilsContract(Message, code="puzzle-contract"):
    """The claim fulfils a contract."""

    contract: str


class FreeRoutes(Message, code="puzzle-routes"):
    """Routes that the taken card can pay for are free."""

    n: int
