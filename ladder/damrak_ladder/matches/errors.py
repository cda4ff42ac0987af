"""What can be wrong with a block.

MatchError
├── BadTable       nobody could play this block
├── BadReport      the report is not about the matches of its block
└── StaleReport    the attempt is over, and another has been or will be made
"""


class MatchError(Exception):
    """Something about a block."""


class BadTable(MatchError):
    """Nobody could play this block."""


class BadReport(MatchError):
    """The report is not about the matches of its block."""


class StaleReport(MatchError):
    """The attempt is over, and what it brought does not count."""

    def __init__(self, block: int, attempt: int) -> None:
        super().__init__(f"attempt {attempt} at block {block} is over")
        self.block = block
        self.attempt = attempt
