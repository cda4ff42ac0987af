"""API of the forecast of a knockout of the top of a ladder."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from typing_extensions import TypeAliasType

from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import set_public
from damrak_ladder.api.standings import SECONDS, VersionKey, find_ladder
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.fit.knockout import forecast
from damrak_ladder.standings.read.contenders import draws_of, duel_seats
from damrak_ladder.standings.read.table import table

KNOCKOUTS: Final = (4, 8, 16)

KnockoutSize = TypeAliasType("KnockoutSize", Literal["4", "8", "16"])

router = Router(tags=["standings"])


class SeedShape(Schema):
    """A participant of a knockout, and its probability of getting past each round."""

    seed: int
    version: VersionKey
    chances: list[float]


class KnockoutShape(Schema):
    """The forecast of a knockout of the top of a ladder, if it were played now."""

    seeds: list[SeedShape]


@router.get(
    "/ladders/{slug:slug}/knockout",
    auth=everybody,
    response=KnockoutShape,
    operation_id="get_knockout",
    summary="The forecast of a knockout",
)
def get_knockout(
    request: HttpRequest, response: HttpResponse, slug: str, size: KnockoutSize = "8"
) -> KnockoutShape:
    """Return the forecast of a knockout of 4, 8 or 16 versions, or fewer if fewer are rated."""
    set_public(response, SECONDS)
    return KnockoutShape(seeds=_seeds(find_ladder(slug), int(size)))


def _seeds(ladder: Ladder, size: int) -> list[SeedShape]:
    seats = duel_seats(ladder)
    draws = draws_of(ladder, ALL if seats is None else seats)
    rows = [
        row
        for row in table(ladder, seats, limit=size, with_trend=False)
        if row.version_id in draws  # a fit may have been published between the two queries
    ]
    rows = rows[: max((one for one in (2, *KNOCKOUTS) if one <= len(rows)), default=0)]
    if not rows:
        return []
    found = forecast(np.column_stack([draws[row.version_id] for row in rows]))
    return [
        SeedShape(
            seed=seed,
            version=VersionKey(id=row.version_id, bot=row.bot_slug, number=row.number),
            chances=list(past),
        )
        for seed, (row, past) in enumerate(zip(rows, found.past, strict=True), 1)
    ]
