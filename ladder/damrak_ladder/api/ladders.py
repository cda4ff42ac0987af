"""API of ladders and their ratings."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema

from damrak_ladder.api import filter_types, types
from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import as_json, set_public
from damrak_ladder.api.filter_types import Day
from damrak_ladder.api.pagination import LongPage, cut
from damrak_ladder.api.problems import not_found
from damrak_ladder.api.shapes import LadderShape, ladder_shape
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.read.table import Row, length, table

router = Router(tags=["ladders"])


class Rating(Schema):
    """A row of a ladder's table, from the last published fit."""

    bot: str
    version: int
    version_id: int
    owner: str
    kind: types.VersionKind
    rank: int
    rank_low: int
    rank_high: int
    elo: float
    low: float
    """Lower bound of the 95 % interval; `high` is the upper one."""
    high: float
    games: int
    band: int
    """Versions in one band cannot be distinguished statistically."""
    first: float
    """The probability of being the best of the table."""


class TableFilter(LongPage):
    """Filters of the table."""

    seats: Annotated[int | None, Field(ge=2, le=4)] = None
    on: Day | None = Field(None, description="A day (UTC), at whose end the table is read.")
    kind: filter_types.VersionKind | None = None


@router.get(
    "/ladders",
    auth=everybody,
    response=list[LadderShape],
    operation_id="list_ladders",
    summary="All ladders",
)
def ladders(request: HttpRequest, response: HttpResponse) -> list[LadderShape]:
    """List all ladders, open ones first."""
    set_public(response, 30)
    return [ladder_shape(ladder) for ladder in Ladder.objects.order_by("-is_open", "slug")[:1000]]


@router.get(
    "/ladders/{slug:slug}",
    auth=everybody,
    response=LadderShape,
    operation_id="get_ladder",
    summary="A ladder",
)
def ladder(request: HttpRequest, response: HttpResponse, slug: str) -> LadderShape:
    """Return a ladder and its rules."""
    set_public(response, 30)
    return ladder_shape(_ladder(slug))


@router.get(
    "/ladders/{slug:slug}/ratings",
    auth=everybody,
    response=list[Rating],
    operation_id="list_ratings",
    summary="The rating table of a ladder",
    openapi_extra={"x-damrak-headers": ["X-Total-Count"]},
)
def ratings(
    request: HttpRequest, response: HttpResponse, slug: str, wanted: Query[TableFilter]
) -> HttpResponse:
    """Return the table, best first: of all table sizes together, or of one with `seats`."""
    set_public(response, 10)
    found_ladder = _ladder(slug)
    response["X-Total-Count"] = str(length(found_ladder, wanted.seats))
    kinds = None if wanted.kind is None else [wanted.kind]
    found = table(
        found_ladder,
        seats=wanted.seats,
        on=wanted.on,
        kinds=kinds,
        skip=0 if wanted.on else wanted.offset,
        limit=wanted.limit + 1 + (wanted.offset if wanted.on else 0),
        with_trend=False,
    )
    if wanted.on is not None:
        found = found[wanted.offset :]
    return as_json([_rating(row) for row in cut(found, wanted, request, response)], response)


def _ladder(slug: str) -> Ladder:
    found = Ladder.objects.filter(slug=slug).first()
    if found is None:
        raise not_found(f"ladder {slug}", "GET /api/v1/ladders lists all")
    return found


def _rating(row: Row) -> dict[str, Any]:
    """Return a row in the form of `Rating`."""
    return {
        "bot": row.bot_slug,
        "version": row.number,
        "version_id": row.version_id,
        "owner": row.owner,
        "kind": row.kind,
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "elo": float(row.elo),
        "low": float(row.low),
        "high": float(row.high),
        "games": row.games,
        "band": row.band,
        "first": row.first,
    }
