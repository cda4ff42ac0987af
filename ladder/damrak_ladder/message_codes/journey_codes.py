"""Messages about a version's journey, its failures and its benching."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Key, Label, Message, Signed, Suffix


class ArchiveReceived(Message, code="archive-received"):
    """An archive was received; `digest` is the beginning of its SHA-256."""

    size: int
    digest: str


class RemoteRegistered(Message, code="remote-registered"):
    """A remote bot was registered."""


class PythonBotFound(Message, code="python-bot-found"):
    """The archive contains a Python bot."""

    files: int


class PythonClassFound(Message, code="python-class-found"):
    """The archive contains a Python bot in a class."""

    class_name: str
    files: int


class ProgramFound(Message, code="program-found"):
    """The archive contains a program."""

    language: str
    command: str
    files: int


class QueuedInSandbox(Message, code="queued-in-sandbox"):
    """The qualification of an uploaded bot waits."""

    opponents: tuple[str, ...]
    board: str


class QueuedForConnection(Message, code="queued-for-connection"):
    """The qualification of a remote bot waits for its connection."""

    opponents: tuple[str, ...]
    board: str


class QualificationPlaying(Message, code="qualification-playing"):
    """The qualification block is being played."""

    block: Key


class QualificationPlayed(Message, code="qualification-played"):
    """The qualification block was played."""

    block: Key


class Qualified(Message, code="qualified"):
    """The version has qualified."""

    games: int
    block: Key


class NewerVersionLive(Message, code="newer-version-live"):
    """The version has qualified, but a newer version stays live."""

    version: Key


class Live(Message, code="live"):
    """The version is live."""


class LiveAndEntered(Message, code="live-and-entered"):
    """The version is live, and its bot was entered on ladders."""

    ladders: tuple[str, ...]


class CanaryBegun(Message, code="canary-begun"):
    """The version plays as a canary."""

    ladders: tuple[str, ...]


class CanaryWithoutLadder(Message, code="canary-without-ladder"):
    """No ladder is open to the version, so it does not play as a canary."""


class CanaryEstimate(Message, code="canary-estimate"):
    """The version has finished as a canary."""

    ladder: str
    elo: int
    low: int
    high: int


class QueuedAfterUntrustedHost(Message, code="queued-after-untrusted-host"):
    """The version qualifies again, because its host was not trustworthy."""


class QueuedAfterConnection(Message, code="queued-after-connection"):
    """The version qualifies again, because its connection was lost."""

    problem: str


class QualificationGivenUp(Message, code="qualification-given-up"):
    """The qualification block could not be played."""

    block: Key


class NotQualified(Message, code="not-qualified"):
    """The version has failed to qualify."""

    reason: Message


class Superseded(Message, code="superseded"):
    """A newer remote version connects instead."""

    version: Key


class AuthorDeleted(Message, code="author-deleted"):
    """The account of the author was deleted."""


class GamePlace(Message, code="game-place"):
    """A seat in a match."""

    game: Key
    match: Key
    seat: Key


class GameTimeout(Message, code="game-timeout"):
    """The version exceeded its time control."""

    place: Message
    detail: Suffix = ""


class GameCrash(Message, code="game-crash"):
    """The version crashed."""

    place: Message
    detail: Suffix = ""


class GameDisconnect(Message, code="game-disconnect"):
    """The version lost its connection."""

    place: Message
    detail: Suffix = ""


class GameIllegal(Message, code="game-illegal"):
    """The version chose too many illegal actions."""

    place: Message
    detail: Suffix = ""


class GameMemory(Message, code="game-memory"):
    """The version exceeded the memory of the sandbox."""

    place: Message
    detail: Suffix = ""


class GameProtocol(Message, code="game-protocol"):
    """The version violated the protocol."""

    place: Message
    detail: Suffix = ""


class GameFault(Message, code="game-fault"):
    """The version had another fault."""

    fault: Label
    place: Message
    detail: Suffix = ""


class FaultCount(Message, code="fault-count"):
    """The number of faults of one kind."""

    fault: Label
    count: int


class TooManyFaults(Message, code="too-many-faults"):
    """Too many of the latest games ended with a fault of the version."""

    faults: int
    games: int
    kinds: tuple[Message, ...]


class Benched(Message, code="benched"):
    """The version was taken out of play."""

    reason: Message


class Restored(Message, code="restored"):
    """The version plays again."""


class TrialVerdict(Message, code="test-verdict"):
    """A sequential test has ended."""

    verdict: Label
    lead: Signed
    low: Signed
    high: Signed
