"""The match in progress that the front page shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.boards import board_of
from damrak_ladder.matches.models import Match
from damrak_ladder.web.block.lists import BlockShown
from damrak_ladder.web.home.interest import running_by_interest
from damrak_ladder.web.replays.board_picture import town
from damrak_ladder.web.replays.context import drawn
from damrak_ladder.web.replays.sources import names_among
from damrak_ladder.web.replays.tips import with_tips
from damrak_ladder.web.replays.words import words

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


def live_table(after: int = 0, viewer: User | None = None) -> LiveTable | None:
    """Return the match that follows the key `after`; None if no block runs.

    Matches follow each other in the order of the interest of their blocks. Not every match of a
    running block is being played: some are over, others are waiting. If nothing happens in a match,
    the page asks for the next one.
    """
    found = running_by_interest(viewer)
    offered = [(one, match) for one in found for match in one.row.matches]
    if not offered:
        return None
    keys = [match.pk for _one, match in offered]
    chosen, match = offered[(keys.index(after) + 1) % len(keys) if after in keys else 0]
    block = chosen.row.block
    seats = sorted(match.seats.all(), key=lambda seat: seat.number)
    return LiveTable(
        match=match,
        versions=[seat.version for seat in seats],
        names=json.dumps(names_among([seat.version for seat in seats]), ensure_ascii=False),
        words=json.dumps(words(), ensure_ascii=False),
        town=drawn(with_tips(_empty_town(block.board), board_of(block.board))),
        language=get_language() or "en",
        running=[one.row for one in found[:LISTED]],
        reason=chosen.reason,
    )


@lru_cache(maxsize=16)
def _empty_town(board: str) -> str:
    return town(board_of(board), {})
