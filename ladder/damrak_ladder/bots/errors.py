"""What can be wrong with a bot or a version.

BotError
├── LimitReached     the owner has as much as is allowed
├── NameTaken        another bot has this name
├── SameContent      the bot has a version with this content
├── NotTaken         the archive breaks a rule
├── NotQualified     the version may not be live
├── Overtaken        somebody else was faster; look again
├── Frozen           what a version is never changes
└── ArchiveDamaged   the store no longer has what was put into it
"""


class BotError(Exception):
    """Something about a bot or a version."""


class LimitReached(BotError):
    """The owner has as much as is allowed."""

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
    """Somebody else has changed the same thing meanwhile."""


class Frozen(BotError):
    """What a version is never changes; only its standing does."""


class ArchiveDamaged(BotError):
    """The store no longer has what was put into it."""

    def __init__(self, content: str, problem: str) -> None:
        super().__init__(f"archive {content}: {problem}")
