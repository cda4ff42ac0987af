"""The journey of a version: its steps so far, as shown to its author."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from damrak_ladder.bots.models import Step, StepKind, Version
from damrak_ladder.message_codes.message import Message


def note(
    version: Version,
    kind: str,
    message: Message,
    now: datetime,
    detail: dict[str, Any] | None = None,
) -> Step:
    """Record a step of this version; the message is for its author.

    Raises:
        ValueError: there is no such kind.
    """
    return Step.objects.create(
        version=version,
        at=now,
        kind=StepKind(kind),
        message=message,
        detail=detail or {},
    )


def journey(version: Version, after: int = 0) -> list[Step]:
    """Return the steps of this version in order, or those after the one with this key."""
    return list(version.steps.filter(pk__gt=after).order_by("pk"))
