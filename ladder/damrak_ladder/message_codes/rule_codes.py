"""Messages about fields of the rules of tournaments, and of the payloads of acts."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Message


class FieldMissing(Message, code="field-missing"):
    """The field is missing."""


class FieldUnknown(Message, code="field-unknown"):
    """The field is not known."""

    known: tuple[str, ...]


class NotAnObject(Message, code="not-an-object"):
    """The value is not an object."""


class NotAList(Message, code="not-a-list"):
    """The value is not a list."""


class NotWholes(Message, code="not-wholes"):
    """The value is not a list of whole numbers."""


class NotPairs(Message, code="not-pairs"):
    """The value is not a list of pairs of whole numbers."""


class NotAFlag(Message, code="not-a-flag"):
    """The value is not true or false."""


class NotAText(Message, code="not-a-text"):
    """The value is not a short text."""

    limit: int


class NotWhole(Message, code="not-whole"):
    """The value is not a whole number."""


class WholeOutside(Message, code="whole-outside"):
    """The value is not a whole number in the range."""

    low: int
    high: int


class NumberOutside(Message, code="number-outside"):
    """The value is not a number in the range."""

    low: float
    high: float


class UnknownChoice(Message, code="unknown-choice"):
    """The value is not one of the choices."""

    value: str
    known: tuple[str, ...]


class InvalidValue(Message, code="invalid-value"):
    """The value is not valid."""

    value: str


class NotATime(Message, code="not-a-time"):
    """The value is not a time."""

    value: str
    example: str


class NoTimeZone(Message, code="no-time-zone"):
    """The time has no time zone."""


class UnknownZone(Message, code="unknown-time-zone"):
    """The time zone does not exist."""

    zone: str


class NotADomain(Message, code="not-a-domain"):
    """The value is not a domain."""

    value: str


class RangeWithoutLadder(Message, code="range-without-ladder"):
    """A rating range has no ladder."""


class TooManyStages(Message, code="stages-outside"):
    """The number of stages is out of range."""

    limit: int


class SourceMissing(Message, code="source-missing"):
    """A stage does not state who qualifies."""


class SourceNotEarlier(Message, code="source-not-earlier"):
    """A stage takes entrants from a later one."""


class DivisionsOutside(Message, code="divisions-outside"):
    """The number of divisions is out of range."""

    limit: int


class TooManyMoves(Message, code="too-many-moves"):
    """Too many entrants change the division."""

    moving: int
    target: int


class ListedTwice(Message, code="listed-twice"):
    """An entry of a list occurs twice."""


class ForTwoOnly(Message, code="for-two-only"):
    """The format is for pairings of two."""

    format: str
    other: str


class ForTablesOnly(Message, code="for-tables-only"):
    """The format is for tables of three and four."""

    format: str
    other: str


class KnockoutTables(Message, code="knockout-tables"):
    """A knockout has tables of three."""


class KnockoutRounds(Message, code="knockout-rounds"):
    """The rounds of a knockout are stated."""


class NoGroups(Message, code="no-groups"):
    """The format has no groups."""

    format: str


class PlacePoints(Message, code="place-points"):
    """The points of places are incomplete."""

    players: int


class FieldSize(Message, code="field-size"):
    """The number of entrants cannot play."""

    entrants: int
    limit: int


class TooManyGroups(Message, code="too-many-groups"):
    """The groups would be too small."""

    groups: int
    entrants: int
    possible: int


class TooManyChallengers(Message, code="too-many-challengers"):
    """The challengers leave no opponents."""

    challengers: int
    entrants: int
    possible: int


class SlugForm(Message, code="slug-form"):
    """The address has characters that are not allowed."""


class TournamentExists(Message, code="tournament-exists"):
    """Another tournament has this address."""

    slug: str


class LeagueOfOther(Message, code="league-of-other"):
    """The league belongs to another user."""

    slug: str
