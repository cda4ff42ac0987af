"""API of ladders and their ratings."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema
from typing_extensions import TypeAliasType

from damrak_ladder.api import filter_types, types
from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import as_json, set_public
from damrak_ladder.api.filter_types import Day
from damrak_ladder.api.pagination import LongPage, cut
from damrak_ladder.api.problems import not_found
from damrak_ladder.api.shapes import LadderShape, ladder_shape
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.fit.anchor_checks import Verdict, checks_by_spec
from damrak_ladder.standings.models import Fit
from damrak_ladder.standings.read.table import Row, length, table

TREND_ROWS: Final = 100

router = Router(tags=["ladders"])


AnchorVerdict = TypeAliasType("AnchorVerdict", Annotated[str, types.one_of(Verdict)])


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
    language: str
    faults: int | None
    """Null without `trend`, as are `day` and `week`."""
    day: int | None
    """The change of its Elo in a day; `week` is that in seven days."""
    week: int | None


class AnchorCheckShape(Schema):
    """The configured Elo of an uncertain anchor, and its estimate from the games alone."""

    spec: str
    stated: float
    stated_error: float
    found: int | None
    """Null while the fixed anchor has no games."""
    found_error: int | None
    difference: float | None
    """In standard deviations of both uncertainties combined."""
    verdict: AnchorVerdict


class FitShape(Schema):
    """A publication of ratings: the blocks and games that it rests on."""

    number: int
    at: datetime
    blocks: int
    games: int
    versions: int
    anchors: list[AnchorCheckShape]


class TableFilter(LongPage):
    """Filters of the table."""

    seats: Annotated[int | None, Field(ge=2, le=4)] = None
    on: Day | None = Field(None, description="A day (UTC), at whose end the table is read.")
    kind: filter_types.VersionKind | None = None
    language: Annotated[str, Field(max_length=30, pattern=filter_types.STORABLE)] = ""
    owner: Annotated[str, Field(max_length=150, pattern=filter_types.STORABLE)] = ""
    trend: bool = Field(False, description="Adds faults and changes of Elo, at most 100 rows.")


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
    "/ladders/{slug:slug}/fit",
    auth=everybody,
    response=FitShape,
    operation_id="get_fit",
    summary="The latest publication of ratings",
)
def get_fit(request: HttpRequest, response: HttpResponse, slug: str) -> FitShape:
    """Return what the ratings of a ladder rest on, and the checks of its anchors."""
    set_public(response, 30)
    found = Fit.objects.filter(ladder=_ladder(slug)).order_by("-number").first()
    if found is None:
        raise not_found(f"rating on {slug} yet", f"GET /api/v1/ladders/{slug}")
    plain = ("number", "at", "blocks", "games", "versions")
    checked = ("stated", "stated_error", "found", "found_error", "difference", "verdict")
    return FitShape(
        **{name: getattr(found, name) for name in plain},
        anchors=[
            AnchorCheckShape(spec=spec, **{name: getattr(check, name) for name in checked})
            for spec, check in sorted(checks_by_spec(found).items())
        ],
    )


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
    if wanted.trend:
        wanted = wanted.model_copy(update={"limit": min(wanted.limit, TREND_ROWS)})
    found_ladder = _ladder(slug)
    response["X-Total-Count"] = str(length(found_ladder, wanted.seats))
    kinds = None if wanted.kind is None else [wanted.kind]
    found = table(
        found_ladder,
        seats=wanted.seats,
        on=wanted.on,
        kinds=kinds,
        language=wanted.language,
        owner=wanted.owner,
        skip=0 if wanted.on else wanted.offset,
        limit=wanted.limit + 1 + (wanted.offset if wanted.on else 0),
        with_trend=wanted.trend,
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
        **{name: getattr(row, name) for name in ("language", "faults", "day", "week")},
    }
