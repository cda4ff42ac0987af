"""The exceptions of tests and canaries.

TrialError
├── BadBounds       the bounds or error rates do not define a test
├── NotYours        only the owner of a bot may do this
├── NotPlayable     these versions cannot play one another
└── TooManyTrials   the owner has reached the limit of running tests
"""

from __future__ import annotations

from damrak_ladder.message_codes import trial_codes as codes
from damrak_ladder.message_codes.errors import MessageError


class TrialError(MessageError):
    """The base class of errors of tests and canaries."""


class BadBounds(TrialError):
    """The bounds or error rates do not define a test."""


class NotYours(TrialError):
    """Only the owner of a bot may do this."""


class NotPlayable(TrialError):
    """These versions cannot play one another."""


class TooManyTrials(TrialError):
    """The owner has reached the limit of running tests."""

    def __init__(self, limit: int) -> None:
        super().__init__(codes.TrialLimit(limit))
        self.limit = limit
