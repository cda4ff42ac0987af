"""Rows of replays, without the names of deleted accounts."""

from __future__ import annotations

import json
from typing import Any

from damrak_engine.strictjson import canonical
from damrak_ladder.accounts.models import FORMER_AUTHOR
from damrak_ladder.matches.models import Match
from damrak_ladder.open_data.matches import seats_of
from damrak_ladder.replays.errors import ReplayDamaged, ReplayLost
from damrak_ladder.replays.storage import load


def replay_row(match: Match) -> dict[str, Any] | None:
    """Return the row of a match's replay, or None if the store does not have it intact.

    Raises:
        StoreUnreachable: the store does not answer.
    """
    try:
        data = load(match.replay)
    except (ReplayLost, ReplayDamaged):
        return None
    block = match.block
    replay, is_redacted = redacted(data, match)
    return {
        "match": match.pk,
        "ladder": None if block.ladder is None else block.ladder.slug,
        "board": block.board,
        "hash": match.replay,
        "is_redacted": is_redacted,
        "replay": replay.decode().strip(),
    }


def redacted(data: bytes, match: Match) -> tuple[bytes, bool]:
    """Return a replay with the names of deleted accounts replaced, and whether there are any.

    Its hash and its signature remain those of the original.
    """
    raw = json.loads(data)
    changed = False
    for player, seat in zip(raw["seats"], seats_of(match), strict=False):
        is_former = seat.version.bot.owner.username == FORMER_AUTHOR
        if is_former and player["owner"] != FORMER_AUTHOR:
            player["owner"], changed = FORMER_AUTHOR, True
    return (canonical(raw) if changed else data), changed
