"""Messages about ladders and boards."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Message


class LadderExists(Message, code="ladder-exists"):
    """Another ladder has this slug."""

    slug: str


class LadderSlugFixed(Message, code="ladder-slug-fixed"):
    """The slug of a ladder never changes."""


class InvalidSlug(Message, code="invalid-slug"):
    """A name has characters that are not allowed."""

    slug: str


class TextTooLong(Message, code="text-too-long"):
    """A text is too long."""

    limit: int


class TextUnprintable(Message, code="text-unprintable"):
    """A text has characters that cannot be printed."""


class TextEmpty(Message, code="text-empty"):
    """A text is empty."""


class InvalidOptions(Message, code="invalid-options"):
    """The engine rejects the rule options; `problem` is its error."""

    problem: str


class InvalidControl(Message, code="invalid-control"):
    """The engine rejects the time control; `problem` is its error."""

    problem: str


class RotationsOutOfRange(Message, code="rotations-out-of-range"):
    """The number of rotations is out of range."""

    rotations: int
    limit: int


class WeightNotPositive(Message, code="weight-not-positive"):
    """The weight is not a number above 0."""


class PlayersOutOfRange(Message, code="players-out-of-range"):
    """No game has this number of players."""

    players: int


class ShareNegative(Message, code="share-negative"):
    """A share is not a number of at least 0."""

    players: int


class NoShare(Message, code="no-share"):
    """No share is above 0."""


class BoardPlayers(Message, code="board-players"):
    """The board is for other numbers of players."""

    board: str
    low: int
    high: int


class FirstPlayerRotates(Message, code="first-player-rotates"):
    """The first player may not rotate."""


class FirstPlayerSeat(Message, code="first-player-seat"):
    """The smallest table does not have the seat that begins."""

    seat: str
    players: int


class NoPlayersAdmitted(Message, code="no-players-admitted"):
    """Too few bots could play on the ladder."""


class UnknownKind(Message, code="unknown-kind"):
    """There is no such kind of bot."""

    kind: str
    known: tuple[str, ...]


class InvalidHouseBot(Message, code="invalid-house-bot"):
    """The specification of a house bot is not valid; `problem` is the error."""

    problem: str


class HouseBotTwice(Message, code="house-bot-twice"):
    """A house bot is listed twice."""


class AnchorNotHouseBot(Message, code="anchor-not-house-bot"):
    """An anchor is not among the house bots of the ladder."""

    bot: str


class AnchorElo(Message, code="anchor-elo"):
    """The Elo of an anchor is out of range."""

    bot: str
    low: int
    high: int


class NotAnAnchor(Message, code="not-an-anchor"):
    """A standard deviation is given for a bot that is not an anchor."""

    bot: str


class AnchorDeviation(Message, code="anchor-deviation"):
    """The standard deviation of an anchor is out of range."""

    bot: str
    limit: int


class NoFixedAnchor(Message, code="no-fixed-anchor"):
    """Every anchor has a standard deviation."""


class BoardExists(Message, code="board-exists"):
    """Another board has this name."""

    name: str


class InvalidBoard(Message, code="invalid-board"):
    """A file is not a valid board; `problem` is the error."""

    name: str
    problem: str


class NoBoards(Message, code="no-boards"):
    """A ladder has no boards."""


class NoHealthyBoard(Message, code="no-healthy-board"):
    """No generated board was healthy."""

    tries: int


class BoardLocations(Message, code="board-locations"):
    """The size of a daily board is out of range."""

    entry: str
    prefix: str
    low: int
    high: int


class BoardUnknown(Message, code="board-unknown"):
    """There is no board of this name."""

    name: str


class LimitUnknown(Message, code="limit-unknown"):
    """The time control has no such limit."""

    name: str
    known: tuple[str, ...]


class LimitNotWhole(Message, code="limit-not-whole"):
    """A limit of the time control is not a whole number."""

    name: str


class FieldProblem(Message, code="field-problem"):
    """A field of a ladder is not valid."""

    field: str
    problem: Message
