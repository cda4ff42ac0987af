"""What can be wrong with a test or a canary.

TrialError
├── BadBounds       the bounds or error rates make no test
├── NotYours        only the owner of a bot may do this
├── NotPlayable     these versions cannot play one another
└── TooManyTrials   the owner has as many running as are allowed
"""


class TrialError(Exception):
    """Something about a test or a canary."""


class BadBounds(TrialError):
    """The bounds or error rates make no test."""


class NotYours(TrialError):
    """Only the owner of a bot may do this."""


class NotPlayable(TrialError):
    """These versions cannot play one another."""


class TooManyTrials(TrialError):
    """The owner has as many tests running as are allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"no more than {limit} tests at once; wait for one or cancel it")
        self.limit = limit
