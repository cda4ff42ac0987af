"""Exceptions of bots and versions.

BotError
├── LimitReached     the owner has reached a limit
├── NameTaken        another bot has this name
├── SameContent      the bot has a version with this content
├── NotTaken         the archive breaks a rule
├── NotQualified     the version may not be live
├── Overtaken        another process was faster; read the state again
├── Frozen           this field of a version never changes
└── ArchiveDamaged   the stored archive is missing or has been changed
"""

from __future__ import annotations

from datetime import timedelta

from damrak_ladder.message_codes import bot_codes as codes
from damrak_ladder.message_codes.errors import MessageError
from damrak_ladder.message_codes.message import Message


class BotError(MessageError):
    """Base class of these exceptions."""


class LimitReached(BotError):
    """The owner has reached a limit: within a period, or in total if there is none."""

    def __init__(self, message: Message, limit: int, period: timedelta | None = None) -> None:
        super().__init__(message)
        self.limit = limit
        self.period = period


class NameTaken(BotError):
    """Another bot has this name."""

    def __init__(self, slug: str) -> None:
        super().__init__(codes.BotNameInUse(slug))


class SameContent(BotError):
    """The bot has a version with this content."""

    def __init__(self, number: int) -> None:
        super().__init__(codes.SameContentAs(number))
        self.number = number


class NotTaken(BotError):
    """The archive breaks a rule."""


class NotQualified(BotError):
    """The version may not be live."""

    def __init__(self, state: str) -> None:
        super().__init__(codes.VersionState(state))
        self.state = state


class Overtaken(BotError):
    """Another process has changed the same thing in the meantime."""


class Frozen(BotError):
    """This field of a version never changes; only its standing does."""


class ArchiveDamaged(BotError):
    """The stored archive is missing or has been changed."""
