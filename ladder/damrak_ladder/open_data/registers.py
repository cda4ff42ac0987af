"""Rows of bots, versions, boards and ladders."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from damrak_engine.boards import board_names
from damrak_ladder.accounts.models import FORMER_AUTHOR
from damrak_ladder.bots.models import Bot, Kind, Version
from damrak_ladder.matches.boards import board_file
from damrak_ladder.matches.errors import UnknownBoard
from damrak_ladder.matches.models import Ladder
from damrak_ladder.message_codes.wording import english

_CHUNK: Final = 500
_LADDER: Final = (
    "slug",
    "name",
    "boards",
    "shares",
    "options",
    "control",
    "rotations",
    "anchors",
    "is_open",
    "created",
)


def bots() -> Iterator[dict[str, Any]]:
    """Yield all bots."""
    for bot in Bot.objects.select_related("owner", "live").order_by("pk").iterator(_CHUNK):
        yield {
            "slug": bot.slug,
            "name": bot.name,
            "owner": bot.owner.username,
            "live": None if bot.live is None else bot.live.number,
            "created": bot.created,
        }


def versions() -> Iterator[dict[str, Any]]:
    """Yield all versions."""
    found = Version.objects.select_related("bot__owner").order_by("pk")
    for version in found.iterator(_CHUNK):
        is_former = version.bot.owner.username == FORMER_AUTHOR
        yield {
            "id": version.pk,
            "bot": version.bot.slug,
            "number": version.number,
            "kind": version.kind,
            "language": version.language,
            "sha256": version.content if version.kind == Kind.UPLOADED else "",
            "size": version.size,
            "note": "" if is_former else version.note,
            "spec": version.spec,
            "state": version.state,
            "reason": english(version.reason),
            "created": version.created,
            "changed": version.changed,
        }


def boards(played: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the engine's boards and these, which were played in public matches."""
    for name in sorted({*board_names(), *played}):
        try:
            yield {"name": name, "board": json.loads(board_file(name))}
        except UnknownBoard:
            continue  # of a ladder that was created by a newer version of the engine


def ladders() -> Iterator[dict[str, Any]]:
    """Yield all ladders."""
    for ladder in Ladder.objects.order_by("pk").iterator(_CHUNK):
        yield {name: getattr(ladder, name) for name in _LADDER}
