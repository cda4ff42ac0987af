"""Messages about tests and canaries."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Label, Message


class TrialBlocks(Message, code="test-blocks"):
    """The number of blocks is out of range."""

    blocks: int
    limit: int


class TrialElo(Message, code="test-elo"):
    """A bound is out of range."""

    field: str
    elo: float


class TrialBoundsTooClose(Message, code="test-bounds-too-close"):
    """The test would not end, as its bounds are too close to each other."""


class TrialErrorRates(Message, code="test-error-rates"):
    """The error rates do not define a test."""


class VersionOfOthers(Message, code="version-of-others"):
    """The candidate of a test belongs to another author."""

    version: str


class VersionNotPublic(Message, code="version-not-public"):
    """The baseline of a test belongs to another author, and is not live."""

    version: str


class SameVersion(Message, code="same-version"):
    """A version cannot be compared with itself."""


class VersionNotQualified(Message, code="version-not-qualified"):
    """The version has not qualified."""

    version: str
    state: Label


class RemoteMeetsItself(Message, code="remote-meets-itself"):
    """Two versions of a remote bot cannot be connected at once."""


class LadderClosed(Message, code="ladder-closed"):
    """The ladder is closed."""

    ladder: str


class LadderNotForTwo(Message, code="ladder-not-for-two"):
    """The ladder has no tables of two players."""

    ladder: str


class LadderNotForKind(Message, code="ladder-not-for-kind"):
    """The ladder does not admit bots of this kind."""

    ladder: str
    kind: Label


class BotWithoutVersion(Message, code="bot-without-version"):
    """A bot without a version cannot enter a ladder."""

    bot: str


class TrialLimit(Message, code="test-limit"):
    """The owner has the maximum number of running tests."""

    limit: int
