"""Bots and versions for tests."""

from __future__ import annotations

from damrak_ladder.bots.lifecycle import advance
from damrak_ladder.bots.models import Bot, Kind, State, Version
from damrak_ladder.bots.submission import Submission, create_bot, register
from ladder.people import NOW, somebody


def some_bot(slug: str = "stan", owner: str | None = None) -> Bot:
    """Return a bot without versions; by default its owner has the same name."""
    return create_bot(somebody(owner or slug), slug, slug.title(), NOW)


def some_version(bot: Bot, spec: str = "planner", kind: Kind = Kind.HOUSE) -> Version:
    """Return a version that has qualified."""
    version = register(bot, Submission(kind, spec=spec), NOW)
    advance(version.pk, State.CHECKING, State.QUALIFYING, NOW)
    advance(version.pk, State.QUALIFYING, State.QUALIFIED, NOW)
    version.refresh_from_db()
    return version
