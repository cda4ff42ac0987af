"""The match in progress, or about to start, that the front page shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Version
from damrak_ladder.follows.interest import running_by_interest
from damrak_ladder.matches.boards import board_of
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.message_codes.wording import text_or_empty
from damrak_ladder.predictions.announcements import announced
from damrak_ladder.tournaments.visibility import visible_matches
from damrak_ladder.web.block import lists
from damrak_ladder.web.block.lists import BlockShown
from damrak_ladder.web.replays.board_picture import town
from damrak_ladder.web.replays.context import drawn
from damrak_ladder.web.replays.sources import names_among
from damrak_ladder.web.replays.tips import with_tips
from damrak_ladder.web.replays.words import words

SOON = timedelta(seconds=30)
"""The longest wait for an announced game."""

LISTED = 3
"""The number of running blocks that the page names."""


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A match that can be watched live, and the running blocks."""

    match: Match
    versions: Sequence[Version]  # by seat
    names: str  # JSON, like `words`, because htmx drops scripts in fragments
    words: str
    town: SafeString
    language: str
    running: Sequence[BlockShown]
    reason: str  # why it was chosen; may be empty
    starts_in: float | None  # seconds; None if it has begun


def live_table(after: int = 0, viewer: User | None = None) -> LiveTable | None:
    """Return the match that follows the key `after`; None if no block runs or starts soon.

    Matches follow each other in the order of the interest of their blocks. Not every match of a
    running block is being played: some are over, others are waiting. If nothing happens in a match,
    the page asks for the next one.

    After the first match, an announced game that starts soon comes before other games of ladders,
    so that readers of the page can predict it and see it from the start.
    """
    now = timezone.now()
    found = running_by_interest(viewer)
    rows = [lists.block_shown(one.block) for one in found]
    offered = [(match, one) for one, row in zip(found, rows, strict=True) for match in row.matches]
    reason, starts_in = None, None
    if (
        (after or not offered)
        and not (found and found[0].is_special)
        and (soon := _soon(now, after))
    ):
        block, match = soon.block, soon.matches[0]
        starts_in = (block.due - now).total_seconds()
    elif offered:
        keys = [match.pk for match, _one in offered]
        match, chosen = offered[(keys.index(after) + 1) % len(keys) if after in keys else 0]
        block, reason = chosen.block, chosen.reason
    else:
        return None
    seats = sorted(match.seats.all(), key=lambda seat: seat.number)
    return LiveTable(
        match=match,
        versions=[seat.version for seat in seats],
        names=json.dumps(names_among([seat.version for seat in seats]), ensure_ascii=False),
        words=json.dumps(words(), ensure_ascii=False),
        town=drawn(with_tips(_empty_town(block.board), board_of(block.board))),
        language=get_language() or "en",
        running=rows[:LISTED],
        reason=text_or_empty(reason),
        starts_in=starts_in,
    )


def _soon(now: datetime, after: int) -> BlockShown | None:
    """Return the announced game that starts next, if it starts soon.

    If the match `after` is one whose start is late, others may be late, too, so there is none.
    """
    if visible_matches(None).filter(pk=after, block__state=BlockState.WAITING).exists():
        return None
    return next(iter(lists.shown(announced(now).filter(due__lte=now + SOON)[:1])), None)


@lru_cache(maxsize=16)
def _empty_town(board: str) -> str:
    return town(board_of(board), {})
