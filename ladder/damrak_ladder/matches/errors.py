"""What can be wrong with a block.

MatchError
├── BadBoard       a file is no board, or a name cannot be
├── BadLadder      a ladder cannot be as described
├── BadTable       nobody could play this block
├── BadReport      the report is not about the matches of its block
├── NotAdmitted    the bot may not play on this ladder
├── StaleReport    the attempt is over, and another has been or will be made
└── UnknownBoard   there is no board of this name
"""


class MatchError(Exception):
    """Something about a block."""


class BadBoard(MatchError):
    """A file is no board, or its name cannot be."""


class BadLadder(MatchError):
    """A ladder cannot be as described: the field, and what is wrong."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class BadTable(MatchError):
    """Nobody could play this block."""


class BadReport(MatchError):
    """The report is not about the matches of its block."""


class NotAdmitted(MatchError):
    """The bot may not play on this ladder."""


class StaleReport(MatchError):
    """The attempt is over, and what it brought does not count."""

    def __init__(self, block: int, attempt: int) -> None:
        super().__init__(f"attempt {attempt} at block {block} is over")
        self.block = block
        self.attempt = attempt


class UnknownBoard(MatchError):
    """There is no board of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no board {name!r}")
        self.name = name
