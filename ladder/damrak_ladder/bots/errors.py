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


class BotError(Exception):
    """Base class of these exceptions."""


class LimitReached(BotError):
    """The owner has reached a limit."""

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"no more than {limit} {what}")
        self.limit = limit
        self.per_hour = what.endswith("an hour")


class NameTaken(BotError):
    """Another bot has this name."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"there is a bot named {slug} already")


class SameContent(BotError):
    """The bot has a version with this content."""

    def __init__(self, number: int) -> None:
        super().__init__(f"this is what version {number} was")
        self.number = number


class NotTaken(BotError):
    """The archive breaks a rule; `why` is one sentence for its author."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class NotQualified(BotError):
    """The version may not be live."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the version is {state}")
        self.state = state


class Overtaken(BotError):
    """Another process has changed the same thing in the meantime."""


class Frozen(BotError):
    """This field of a version never changes; only its standing does."""


class ArchiveDamaged(BotError):
    """The stored archive is missing or has been changed."""

    def __init__(self, content: str, problem: str) -> None:
        super().__init__(f"archive {content}: {problem}")
