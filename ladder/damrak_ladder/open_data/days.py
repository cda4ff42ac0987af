"""What was played on which day, and digests of it.

A day is written again if its digest has changed: a block was recorded, withdrawn, released or
hidden, ratings were published, or a bot that played has another owner.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from damrak_ladder.bots.models import Bot
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.standings.models import Fit
from damrak_ladder.tournaments.visibility import visible_blocks

CHUNK: Final = 5000


@dataclass(slots=True)
class Day:
    """The digests of a day: of its blocks and of the ratings published on it."""

    blocks: Any = field(default_factory=hashlib.sha256)
    fits: Any = field(default_factory=hashlib.sha256)

    def digest(self, owners: str) -> str:
        """Return the digest of the day, given that of the owners of its bots."""
        text = f"{self.blocks.hexdigest()} {self.fits.hexdigest()} {owners}"
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class History:
    """Everything that is public: the days with blocks or ratings, and all boards of the blocks."""

    days: dict[date, Day]
    boards: frozenset[str]


def public_blocks() -> QuerySet[Block]:
    """Return the recorded blocks that everyone may see."""
    return visible_blocks(None).filter(state=BlockState.RECORDED, finished__isnull=False)


def history() -> History:
    """Return the days of all public blocks and ratings, in order.

    It reads one index of all blocks and all fits, but neither matches nor replays.
    """
    days: dict[date, Day] = {}
    boards: set[str] = set()
    blocks = public_blocks().order_by("finished", "pk").values_list("finished", "pk", "board")
    for finished, key, board in blocks.iterator(chunk_size=CHUNK):
        assert finished is not None
        boards.add(board)
        day = days.setdefault(finished.astimezone(UTC).date(), Day())
        day.blocks.update(f"{key} {finished.isoformat()}\n".encode())
    fits = Fit.objects.order_by("at", "pk").values_list("at", "pk", "lines")
    for at, key, lines in fits.iterator(chunk_size=CHUNK):
        if lines:
            day = days.setdefault(at.astimezone(UTC).date(), Day())
            day.fits.update(f"{key} {lines}\n".encode())
    return History(dict(sorted(days.items())), frozenset(boards))


def owners_digest(bots: Iterable[int], owner_of: dict[int, str]) -> str:
    """Return a digest of the owners of these bots."""
    lines = [f"{bot} {owner_of.get(bot, '')}\n" for bot in sorted(bots)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def owners() -> dict[int, str]:
    """Return the user name of each bot's owner."""
    return dict(Bot.objects.values_list("pk", "owner__username"))


def span(day: date) -> tuple[datetime, datetime]:
    """Return the beginning and the end of a day in UTC."""
    start = datetime.combine(day, time(), UTC)
    return start, start + timedelta(days=1)
