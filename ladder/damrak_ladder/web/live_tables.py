"""The match in progress that the front page shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.boards import board_of
from damrak_ladder.matches.models import Match
from damrak_ladder.web import blocks
from damrak_ladder.web.blocks import BlockShown
from damrak_ladder.web.replays.context import drawn
from damrak_ladder.web.replays.sketch import town
from damrak_ladder.web.replays.sources import names_among
from damrak_ladder.web.replays.tips import with_tips
from damrak_ladder.web.replays.words import words

BLOCKS = 3
"""The number of running blocks that are considered."""


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


def live_table(after: int = 0) -> LiveTable | None:
    """Return the match of the running blocks that follows the key `after`; None if no block runs.

    Not every match of a running block is being played: some are over, others are waiting. If
    nothing happens in a match, the page asks for the next one.
    """
    running = blocks.running(BLOCKS)
    matches = sorted((one for row in running for one in row.matches), key=lambda one: one.pk)
    if not matches:
        return None
    match = next((one for one in matches if one.pk > after), matches[0])
    block = next(row.block for row in running if match in row.matches)
    seats = sorted(match.seats.all(), key=lambda seat: seat.number)
    return LiveTable(
        match=match,
        versions=[seat.version for seat in seats],
        names=json.dumps(names_among([seat.version for seat in seats]), ensure_ascii=False),
        words=json.dumps(words(), ensure_ascii=False),
        town=drawn(with_tips(_empty_town(block.board), board_of(block.board))),
        language=get_language() or "en",
        running=running,
    )


@lru_cache(maxsize=16)
def _empty_town(board: str) -> str:
    return town(board_of(board), {})
