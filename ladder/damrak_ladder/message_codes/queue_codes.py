"""Messages about waiting blocks."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Message


class NoWorker(Message, code="no-worker"):
    """No worker is running."""


class StartsNow(Message, code="starts-now"):
    """The block starts now."""


class NextForPlace(Message, code="next-for-place"):
    """The block is the next to start."""


class BehindOthersShare(Message, code="behind-others-share"):
    """Other queues have used less of their share."""

    ahead: int


class BehindSameQueue(Message, code="behind-same-queue"):
    """Other blocks of the same queue are first."""

    ahead: int


class HostBegins(Message, code="host-begins"):
    """A host is about to start the block."""

    host: str


class WaitsForConnection(Message, code="waits-for-connection"):
    """Remote bots are not connected."""

    bots: tuple[str, ...]


class OnDifferentHosts(Message, code="on-different-hosts"):
    """Remote bots are connected to different hosts."""

    bots: tuple[str, ...]


class AnnouncedIn(Message, code="announced-in"):
    """The game is announced so that people can predict it."""

    seconds: int


class RetriesIn(Message, code="retries-in"):
    """The block rests after a failure."""

    seconds: int


class GamesPerMinute(Message, code="games-per-minute"):
    """The site starts a limited number of games per minute."""

    limit: int
