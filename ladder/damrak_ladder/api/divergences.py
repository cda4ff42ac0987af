"""API of the events at which the mirrored games of a block diverge."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from typing_extensions import TypeAliasType

from damrak_ladder.api.access import everybody_by_name
from damrak_ladder.api.lists.operations import find_block
from damrak_ladder.api.tournaments.viewers import set_cached
from damrak_ladder.profiles.divergence import divergences

ReplayEvent = TypeAliasType("ReplayEvent", dict[str, Any])
"""An event as in replays."""

router = Router(tags=["matches"])


class DivergingGame(Schema):
    """A game, and its event that differs; null if the games are identical, or after its end."""

    match: int
    event: ReplayEvent | None


class DivergenceShape(Schema):
    """Two games in which all seats had the same cards.

    `at` is the index, in their replays, of the first event that differs; null if none does.
    """

    first: DivergingGame
    second: DivergingGame
    at: int | None


@router.get(
    "/blocks/{int:block_id}/divergences",
    auth=everybody_by_name,
    response=list[DivergenceShape],
    operation_id="list_divergences",
    summary="Where the mirrored games of a block diverge",
)
def list_divergences(
    request: HttpRequest, response: HttpResponse, block_id: int
) -> list[DivergenceShape]:
    """Compare each game of a mirrored block with the first one with the same cards.

    Up to this event, the bots had the same information. The list is empty if the cards of the
    games differ, and before the block is recorded.
    """
    set_cached(request, response, 30)
    block, matches = find_block(request, block_id)
    if not block.is_mirrored or len(matches) < 2:
        return []
    return [
        DivergenceShape(
            first=DivergingGame(match=one.first.pk, event=one.events[0]),
            second=DivergingGame(match=one.second.pk, event=one.events[1]),
            at=one.at,
        )
        for one in divergences(matches, len(matches[0].seats.all()))
    ]
