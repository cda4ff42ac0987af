"""API of what follows from ratings: histories, opponents, head-to-head, matrix and knockout."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final, Literal

import numpy as np
from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema
from typing_extensions import TypeAliasType

from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import set_public
from damrak_ladder.api.filter_types import STORABLE, Moment
from damrak_ladder.api.problems import not_found
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.counts.encounters import (
    MOST,
    Encounter,
    head_to_head,
    matrix,
    opponents,
)
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.fit.knockout import forecast
from damrak_ladder.standings.models import Standing
from damrak_ladder.standings.read.contenders import draws_of, duel_seats
from damrak_ladder.standings.read.rating_history import MOST_POINTS, history
from damrak_ladder.standings.read.table import table

SECONDS: Final = 30
KNOCKOUTS: Final = (4, 8, 16)

Slug = Annotated[str, Field(max_length=40, pattern=STORABLE)]
KnockoutSize = TypeAliasType("KnockoutSize", Literal["4", "8", "16"])
Size = Annotated[int | None, Field(ge=2, le=4)]


class VersionKey(Schema):
    """A version by its bot and number."""

    id: int
    bot: str
    number: int


class StandingShape(Schema):
    """The published rating of a version at all tables, or at tables of one size."""

    ladder: str
    seats: int | None
    elo: int
    low: int
    high: int
    rank: int | None
    """Null for versions that are not live."""
    rank_low: int | None
    rank_high: int | None
    band: int | None
    blocks: int
    games: int


class RatingPoint(Schema):
    """The rating that was published from this time on."""

    at: datetime
    elo: int
    low: int
    high: int
    rank: int | None
    games: int


class EncounterShape(Schema):
    """The results of a version against another; shares are from 0 to 1."""

    version: VersionKey
    opponent: VersionKey
    blocks: int
    games: int
    wins: int
    ties: int
    losses: int
    score: float
    likely: float
    """An estimate of the score, which few blocks hardly move from a half."""
    low: float
    """Lower bound of the 95 % interval of `likely`; `high` is the upper one."""
    high: float
    expected: float | None
    """The score that follows from the ratings of both."""


class OpponentShape(EncounterShape):
    """The results against an opponent, and whether they differ significantly from the ratings."""

    is_nemesis: bool
    is_prey: bool


class MatrixShape(Schema):
    """The top of a ladder against each other."""

    versions: list[VersionKey]
    encounters: list[EncounterShape]
    cycles: list[list[int]]
    """Versions of which each significantly beats the next, and the last the first."""


class SeedShape(Schema):
    """A participant of a knockout, and its probability of getting past each round."""

    seed: int
    version: VersionKey
    chances: list[float]


class KnockoutShape(Schema):
    """The forecast of a knockout of the top of a ladder, if it were played now."""

    seeds: list[SeedShape]


class OnLadder(Schema):
    """The ladder whose results are wanted."""

    ladder: Slug = Field(..., description="A ladder by its slug.")


class HistoryFilter(OnLadder):
    """The part of a rating history that is wanted."""

    seats: Size = Field(None, description="Only tables of this size.")
    since: Moment | None = Field(None, description="Published at this time or later.")
    points: Annotated[int, Field(ge=2, le=MOST_POINTS)] = 120


router = Router(tags=["standings"])
_VERSION: Final = "/versions/{int:version_id}"


@router.get(
    f"{_VERSION}/ratings",
    auth=everybody,
    response=list[StandingShape],
    operation_id="list_version_ratings",
    summary="The ratings of a version",
)
def ratings(request: HttpRequest, response: HttpResponse, version_id: int) -> list[StandingShape]:
    """Return the ratings of a version on each ladder, at all tables and by table size."""
    set_public(response, SECONDS)
    _version(version_id)
    found = Standing.objects.filter(version=version_id, blocks__gt=0).select_related("ladder")
    plain = ("elo", "low", "high", "rank", "rank_low", "rank_high", "band", "blocks", "games")
    return [
        StandingShape(
            ladder=one.ladder.slug,
            seats=None if one.seats == ALL else one.seats,
            **{name: getattr(one, name) for name in plain},
        )
        for one in found.order_by("ladder__slug", "seats")
    ]


@router.get(
    f"{_VERSION}/history",
    auth=everybody,
    response=list[RatingPoint],
    operation_id="list_rating_history",
    summary="The rating history of a version",
)
def rating_history(
    request: HttpRequest, response: HttpResponse, version_id: int, wanted: Query[HistoryFilter]
) -> list[RatingPoint]:
    """Return the history of a rating at up to `points` equally distant fits, oldest first."""
    set_public(response, SECONDS)
    version, ladder = _version(version_id), _ladder(wanted.ladder)
    found = history(ladder, [version.pk], wanted.seats, wanted.since, wanted.points)
    return [
        RatingPoint(**{name: getattr(one, name) for name in RatingPoint.model_fields})
        for one in found[version.pk]
    ]


@router.get(
    f"{_VERSION}/opponents",
    auth=everybody,
    response=list[OpponentShape],
    operation_id="list_opponents",
    summary="The opponents of a version",
)
def list_opponents(
    request: HttpRequest,
    response: HttpResponse,
    version_id: int,
    ladder: Slug,
    limit: Annotated[int, Field(ge=1, le=MOST)] = 15,
) -> list[OpponentShape]:
    """Return the most frequent opponents on a ladder, with unusually difficult and easy ones."""
    set_public(response, SECONDS)
    version, on = _version(version_id), _ladder(ladder)
    found = opponents(on, version.pk, limit)
    nemeses = {one.opponent_id for one in found.nemeses}
    prey = {one.opponent_id for one in found.prey}
    odd = [*found.nemeses, *found.prey]
    usual = [one for one in found.encounters if one.opponent_id not in nemeses | prey]
    shown = [*odd, *usual][:limit]
    names = _names([version.pk, *(one.opponent_id for one in shown)])
    return [
        OpponentShape(
            **_encounter(one, names).model_dump(),
            is_nemesis=one.opponent_id in nemeses,
            is_prey=one.opponent_id in prey,
        )
        for one in shown
    ]


@router.get(
    f"{_VERSION}/opponents/{{int:opponent_id}}",
    auth=everybody,
    response=EncounterShape,
    operation_id="get_head_to_head",
    summary="Two versions against each other",
)
def get_head_to_head(
    request: HttpRequest,
    response: HttpResponse,
    version_id: int,
    opponent_id: int,
    ladder: Slug,
) -> EncounterShape:
    """Return the results of a version against another on a ladder."""
    set_public(response, SECONDS)
    one, other = _version(version_id), _version(opponent_id)
    found = head_to_head(_ladder(ladder), one.pk, other.pk)
    if found is None:
        raise not_found(f"match of {one} and {other} on {ladder}")
    return _encounter(found, _names([one.pk, other.pk]))


@router.get(
    "/ladders/{slug:slug}/matrix",
    auth=everybody,
    response=MatrixShape,
    operation_id="get_matrix",
    summary="The top of a ladder against each other",
)
def get_matrix(
    request: HttpRequest,
    response: HttpResponse,
    slug: str,
    seats: Size = None,
    top: Annotated[int, Field(ge=2, le=MOST)] = 12,
) -> MatrixShape:
    """Return the results of the top of a ladder against each other, and cycles among them."""
    set_public(response, SECONDS)
    found = matrix(_ladder(slug), top, seats)
    names = _names(found.versions)
    return MatrixShape(
        versions=[names[one] for one in found.versions],
        encounters=[_encounter(one, names) for one in found.encounters.values()],
        cycles=[list(one) for one in found.cycles],
    )


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
    return KnockoutShape(seeds=_seeds(_ladder(slug), int(size)))


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


def _version(version_id: int) -> Version:
    found = Version.objects.select_related("bot").filter(pk=version_id).first()
    if found is None:
        raise not_found(f"version with the id {version_id}")
    return found


def _ladder(slug: str) -> Ladder:
    found = Ladder.objects.filter(slug=slug).first()
    if found is None:
        raise not_found(f"ladder {slug}", "GET /api/v1/ladders lists them")
    return found


def _names(versions: Iterable[int]) -> dict[int, VersionKey]:
    rows = Version.objects.filter(pk__in=set(versions)).values_list("pk", "bot__slug", "number")
    return {key: VersionKey(id=key, bot=bot, number=number) for key, bot, number in rows}


def _encounter(one: Encounter, names: dict[int, VersionKey]) -> EncounterShape:
    plain = ("blocks", "games", "wins", "ties", "losses", "score", "likely", "low", "high")
    return EncounterShape(
        version=names[one.version_id],
        opponent=names[one.opponent_id],
        expected=one.expected,
        **{name: getattr(one, name) for name in plain},
    )
