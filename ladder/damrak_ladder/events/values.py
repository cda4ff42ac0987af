"""Events and their topics. They carry ids only; readers fetch what they want to know."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import models

from damrak_ladder.changes.models import ChangeKind


class Topic(models.TextChoices):
    """A subject that a stream can be limited to."""

    MATCHES = "matches"
    QUEUE = "queue"
    STANDINGS = "standings"
    TOURNAMENTS = "tournaments"
    BOTS = "bots"


class EventType(models.TextChoices):
    """The type of an event."""

    BLOCK_QUEUED = "block.queued"
    BLOCK_STARTED = "block.started"
    BLOCK_FINISHED = "block.finished"
    BLOCK_FAILED = "block.failed"
    BLOCK_WITHDRAWN = "block.withdrawn"
    STANDINGS_PUBLISHED = "standings.published"
    TOURNAMENT_CHANGED = "tournament.changed"
    VERSION_CHANGED = "version.changed"
    BOT_CHANGED = "bot.changed"


TOPICS: Final[dict[EventType, frozenset[Topic]]] = {
    EventType.BLOCK_QUEUED: frozenset({Topic.QUEUE}),
    EventType.BLOCK_STARTED: frozenset({Topic.QUEUE, Topic.MATCHES}),
    EventType.BLOCK_FINISHED: frozenset({Topic.QUEUE, Topic.MATCHES}),
    EventType.BLOCK_FAILED: frozenset({Topic.QUEUE}),
    EventType.BLOCK_WITHDRAWN: frozenset({Topic.QUEUE, Topic.MATCHES}),
    EventType.STANDINGS_PUBLISHED: frozenset({Topic.STANDINGS}),
    EventType.TOURNAMENT_CHANGED: frozenset({Topic.TOURNAMENTS}),
    EventType.VERSION_CHANGED: frozenset({Topic.BOTS}),
    EventType.BOT_CHANGED: frozenset({Topic.BOTS}),
}


@dataclass(frozen=True, slots=True)
class Event:
    """An event, with what it is about and who may know of it."""

    position: int
    kind: ChangeKind
    type: EventType
    subject: int
    at: datetime
    is_public: bool  # visitors may know of it
    is_listed: bool  # it belongs into streams of the whole site
    for_entrants: bool = True  # otherwise only organisers may know of it, if it is not public
    block: int | None = None
    matches: tuple[int, ...] = ()
    ladder: str | None = None
    tournament: str | None = None
    bots: tuple[str, ...] = ()
    owners: frozenset[str] = frozenset()
    version: int | None = None
    concerned: frozenset[int] = frozenset()
    """Users who may be permitted to know of it, if it is not public; staff always may be."""

    def as_json(self) -> dict[str, Any]:
        """Return what readers receive, apart from the token of its position."""
        said: dict[str, Any] = {"type": str(self.type), "at": self.at.isoformat()}
        if self.block is not None:
            said |= {"block": self.block, "matches": list(self.matches)}
        for name in ("ladder", "tournament", "version"):
            if (value := getattr(self, name)) is not None:
                said[name] = value
        if self.bots:
            said["bots"] = list(self.bots)
        return said


@dataclass(frozen=True, slots=True)
class Filter:
    """What a reader wants; empty fields match everything."""

    topics: frozenset[Topic] = frozenset()
    ladder: str = ""
    tournament: str = ""
    bot: str = ""
    owner: str = ""

    def matches(self, event: Event) -> bool:
        """Return whether the reader wants this event."""
        if self.topics and not self.topics & TOPICS[event.type]:
            return False
        if not event.is_listed and event.tournament != self.tournament:
            return False
        return (
            self.ladder in ("", event.ladder)
            and self.tournament in ("", event.tournament)
            and (not self.bot or self.bot in event.bots)
            and (not self.owner or self.owner.casefold() in event.owners)
        )
