"""Messages about tournaments: alerts of organisers, and warnings about rules."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Key, Message


class PlayedInQuarantine(Message, code="played-in-quarantine"):
    """A counted block was played on a host in quarantine."""

    block: Key
    host: str


class BlockNotPlayable(Message, code="block-not-playable"):
    """A block failed too often."""

    block: Key
    tries: int


class EntrantAbsent(Message, code="entrant-absent"):
    """A remote bot is not connected."""

    bot: str
    minutes: int


class SlowRound(Message, code="slow-round"):
    """A round takes longer than forecast."""

    number: Key


class RoundNotPairable(Message, code="round-not-pairable"):
    """The arranged pairings of a round leave no pairing of all entrants."""

    number: Key


class MoreRoundsThanOpponents(Message, code="more-rounds-than-opponents"):
    """A Swiss for two has more rounds than an entrant has opponents."""

    entrants: int
    rounds: int
    least: int
    possible: int


class RematchesPossible(Message, code="rematches-possible"):
    """Late rounds of a Swiss for two may leave no pairing without a rematch."""

    entrants: int
    rounds: int
    possible: int


class TooFewOpponents(Message, code="too-few-opponents"):
    """The same, because an entrant does not meet some of the others."""

    entrants: int
    rounds: int
    apart: int
    possible: int


class MoreMeetingsThanPairs(Message, code="more-meetings-than-pairs"):
    """Tables of three or four seat more pairs than there are."""

    entrants: int
    rounds: int
    meetings: int
    pairs: int
    least: int


class OwnerFillsTables(Message, code="owner-fills-tables"):
    """One owner has more entrants than there are tables."""

    entrants: int
    tables: int


class OwnerFillsField(Message, code="owner-fills-field"):
    """One owner has more than half of the entrants."""

    entrants: int
    of: int


class ByeLikeWin(Message, code="bye-like-win"):
    """A bye at tables is worth as much as a won table."""


class UnavoidableOwners(Message, code="unavoidable-owners"):
    """Bots of one owner had to meet."""

    pairs: int


class UnavoidableRematches(Message, code="unavoidable-rematches"):
    """Entrants had to meet again."""

    rematches: int


class UnavoidableByes(Message, code="unavoidable-byes"):
    """Entrants had to get a second bye."""

    byes: int
