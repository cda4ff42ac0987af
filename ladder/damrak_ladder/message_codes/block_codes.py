"""Messages about attempts, referees and hosts."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Key, Message, Probability


class WorkerSilent(Message, code="worker-silent"):
    """The lease of an attempt has expired."""


class WorkerEnded(Message, code="worker-ended"):
    """The process that played an attempt has ended."""


class WorkerFailed(Message, code="worker-failed"):
    """An unexpected exception ended an attempt."""

    exception: str
    problem: str


class RefereeFailed(Message, code="referee-failed"):
    """The referee, or the connection to it, has failed; `problem` is its answer."""

    address: str
    problem: str


class StoreUnavailable(Message, code="store-unavailable"):
    """A store could not be reached; `problem` is its answer."""

    problem: str


class MoveTakenBack(Message, code="move-taken-back"):
    """A person has taken back a move, so that the game is played again up to there."""


class BotNotConnected(Message, code="bot-not-connected"):
    """A person waited for a remote bot in vain."""

    bot: str


class ReportedVoid(Message, code="reported-void"):
    """The referee has declared a block void; `problem` is its reason."""

    problem: str


class MatchesMissing(Message, code="matches-missing"):
    """The referee reports an incomplete block as finished."""

    reported: int
    ordered: int


class SeatsDiffer(Message, code="seats-differ"):
    """The referee reports another number of seats than was ordered."""

    reported: int
    ordered: int


class ReplayInvalid(Message, code="replay-invalid"):
    """The replay of a match breaks the rules."""

    match: str
    problem: str


class WrongFirstSeat(Message, code="wrong-first-seat"):
    """Another seat began than was ordered."""

    match: str


class MatchNotOrdered(Message, code="match-not-ordered"):
    """The referee reports a match that was not ordered."""

    match: str
    attempt: Key


class MatchReportedTwice(Message, code="match-reported-twice"):
    """The referee reports a match twice."""

    match: str


class ReplayDiffers(Message, code="replay-differs"):
    """A replay is not of the match that was ordered."""

    match: str
    part: str


class MatchCountDiffers(Message, code="match-count-differs"):
    """A report has another number of matches than the block."""

    reported: int
    ordered: int


class FaultNotSeated(Message, code="fault-not-seated"):
    """A reported fault is in a seat that the block does not have."""

    seat: str
    match: str


class AttemptOver(Message, code="attempt-over"):
    """The attempt has ended, so that its results do not count."""

    block: Key
    attempt: Key


class TableSize(Message, code="table-size"):
    """The number of versions does not make a table."""

    versions: int


class TableRotations(Message, code="table-rotations"):
    """The number of rotations is out of range."""

    rotations: int


class TableSeed(Message, code="table-seed"):
    """The seed has the wrong length."""

    length: int


class TableVersionKind(Message, code="table-version-kind"):
    """A version is of a kind that cannot be seated."""

    kind: str


class HostQuarantined(Message, code="host-quarantined"):
    """The results of a block do not count, as its host is in quarantine."""

    host: str
    reason: Message


class OperatorDecision(Message, code="operator-decision"):
    """An operator has put a host in quarantine."""


class OperatorReason(Message, code="operator-reason"):
    """An operator has put a host in quarantine, and has entered a reason."""

    text: str


class HostComparison(Message, code="host-comparison"):
    """The evidence that a host deviates."""

    here: int
    elsewhere: int
    chance: Probability


class HostScores(Message, code="host-scores"):
    """A version scores differently on this host."""

    version: Key
    comparison: Message


class HostResults(Message, code="host-results"):
    """Results deviate from the ratings more on this host."""

    comparison: Message


class HostSlow(Message, code="host-slow"):
    """Bots take longer on this host."""

    times: float
    comparison: Message


class HostBotFaults(Message, code="host-bot-faults"):
    """Bots fail more often on this host."""

    times: float
    comparison: Message


class HostAttempts(Message, code="host-attempts"):
    """More attempts fail on this host."""

    times: float
    comparison: Message
