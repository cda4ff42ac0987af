"""Storing of stories: few of each kind, ladder and day, each of them once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from damrak_ladder.highlights.models import Story, StoryKind
from damrak_ladder.matches.models import Ladder
from damrak_ladder.message_codes.message import Message

KEPT: Final = 3
"""The number of stories that are kept for each kind, ladder and day: the best."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A story that may be kept."""

    kind: StoryKind
    match: int
    version: int
    told: Message
    worth: float
    at: datetime


def keep(ladder: Ladder, story: Telling) -> None:
    """Store a story, unless there are enough better ones of its kind on that day."""
    day = story.at.date()
    Story.objects.get_or_create(
        kind=story.kind,
        match_id=story.match,
        version_id=story.version,
        defaults={
            "ladder": ladder,
            "told": story.told,
            "worth": story.worth,
            "day": day,
            "at": story.at,
        },
    )
    same = Story.objects.filter(ladder=ladder, kind=story.kind, day=day).order_by("-worth", "-pk")
    Story.objects.filter(pk__in=list(same.values_list("pk", flat=True)[KEPT:])).delete()
