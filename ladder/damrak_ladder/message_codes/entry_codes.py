"""Messages about entries in tournaments."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Labels, Message


class OnlyOwner(Message, code="only-owner"):
    """The bot belongs to another user."""

    bot: str


class NoQualifiedVersion(Message, code="no-qualified-version"):
    """The bot has no qualified version."""

    bot: str


class EntriesNotOpen(Message, code="entries-not-open"):
    """Entries are not open."""


class NotTakingPart(Message, code="not-taking-part"):
    """The bot does not take part."""

    bot: str


class PlacesTaken(Message, code="places-taken"):
    """The tournament is full."""

    limit: int


class BotsPerOwner(Message, code="bots-per-owner"):
    """The owner has entered as many bots as admitted."""

    limit: int


class KindsAdmitted(Message, code="kinds-admitted"):
    """Bots of this kind are not admitted."""

    kinds: Labels


class LanguagesAdmitted(Message, code="languages-admitted"):
    """Bots in this language are not admitted."""

    languages: tuple[str, ...]


class NeedsInvitation(Message, code="needs-invitation"):
    """The tournament needs an invitation."""


class NeedsAddress(Message, code="needs-address"):
    """The tournament needs an address at a domain."""

    domain: str


class NoRating(Message, code="no-rating"):
    """The bot has no rating on the ladder."""

    bot: str
    ladder: str


class RatingOutside(Message, code="rating-outside"):
    """The rating is outside of the admitted range."""

    bot: str
    elo: int
    ladder: str


class VersionPinned(Message, code="version-pinned"):
    """A tournament has pinned the version of the bot."""

    bot: str
    tournament: str
