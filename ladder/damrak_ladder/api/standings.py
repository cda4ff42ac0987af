"""API of what follows from ratings: histories, opponents, head-to-head, matrix and knockout."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Final

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema

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
from damrak_ladder.standings.models import Standing
from damrak_ladder.standings.read.rating_history import MOST_POINTS, history

SECONDS: Final = 30

Slug = Annotated[str, Field(max_length=40, pattern=STORABLE)]
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
    chance: float
    """The probability of a result at least as uneven if both were equally strong."""


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


class OnLadder(Schema):
    """The ladder whose results are wanted."""

    ladder: Slug = Field(..., description="A ladder by its slug.")


class HistoryFilter(OnLadder):
    """The part of a rating history that is wanted."""

    seats: Size = Field(None, description="Only tables of this size.")
    since: Moment | None = Field(None, description="Published at this time or later.")
    points: Annotated[int, Field(ge=2, le=MOST_POINTS)] = 120


router = Router(tags=["standings"])
VERSION: Final = "/versions/{int:version_id}"


@router.get(
    f"{VERSION}/ratings",
    auth=everybody,
    response=list[StandingShape],
    operation_id="list_version_ratings",
    summary="The ratings of a version",
)
def ratings(request: HttpRequest, response: HttpResponse, version_id: int) -> list[StandingShape]:
    """Return the ratings of a version on each ladder, at all tables and by table size."""
    set_public(response, SECONDS)
    find_version(version_id)
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
    f"{VERSION}/history",
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
    version, ladder = find_version(version_id), find_ladder(wanted.ladder)
    found = history(ladder, [version.pk], wanted.seats, wanted.since, wanted.points)
    return [
        RatingPoint(**{name: getattr(one, name) for name in RatingPoint.model_fields})
        for one in found[version.pk]
    ]


@router.get(
    f"{VERSION}/opponents",
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
    version, on = find_version(version_id), find_ladder(ladder)
    found = opponents(on, version.pk, limit)
    nemeses = {one.opponent_id for one in found.nemeses}
    prey = {one.opponent_id for one in found.prey}
    odd = [*found.nemeses, *found.prey]
    usual = [one for one in found.encounters if one.opponent_id not in nemeses | prey]
    shown = [*odd, *usual][:limit]
    names = names_of([version.pk, *(one.opponent_id for one in shown)])
    return [
        OpponentShape(
            **encounter_shape(one, names).model_dump(),
            is_nemesis=one.opponent_id in nemeses,
            is_prey=one.opponent_id in prey,
        )
        for one in shown
    ]


@router.get(
    f"{VERSION}/opponents/{{int:opponent_id}}",
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
    one, other = find_version(version_id), find_version(opponent_id)
    found = head_to_head(find_ladder(ladder), one.pk, other.pk)
    if found is None:
        raise not_found(f"match of {one} and {other} on {ladder}")
    return encounter_shape(found, names_of([one.pk, other.pk]))


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
    found = matrix(find_ladder(slug), top, seats)
    names = names_of(found.versions)
    return MatrixShape(
        versions=[names[one] for one in found.versions],
        encounters=[encounter_shape(one, names) for one in found.encounters.values()],
        cycles=[list(one) for one in found.cycles],
    )


def find_version(version_id: int) -> Version:
    """Return a version.

    Raises:
        Problem: there is none with this id.
    """
    found = Version.objects.select_related("bot").filter(pk=version_id).first()
    if found is None:
        raise not_found(f"version with the id {version_id}")
    return found


def find_ladder(slug: str) -> Ladder:
    """Return a ladder.

    Raises:
        Problem: there is none of this name.
    """
    found = Ladder.objects.filter(slug=slug).first()
    if found is None:
        raise not_found(f"ladder {slug}", "GET /api/v1/ladders lists them")
    return found


def names_of(versions: Iterable[int]) -> dict[int, VersionKey]:
    """Return these versions by their ids, in one query."""
    rows = Version.objects.filter(pk__in=set(versions)).values_list("pk", "bot__slug", "number")
    return {key: VersionKey(id=key, bot=bot, number=number) for key, bot, number in rows}


def encounter_shape(one: Encounter, names: dict[int, VersionKey]) -> EncounterShape:
    """Return results against an opponent in the form of the API."""
    plain = ("blocks", "games", "wins", "ties", "losses", "score", "likely", "low", "high")
    return EncounterShape(
        version=names[one.version_id],
        opponent=names[one.opponent_id],
        expected=one.expected,
        chance=one.chance_of(0.5),
        **{name: getattr(one, name) for name in plain},
    )
