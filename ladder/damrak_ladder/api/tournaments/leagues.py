"""The operations on leagues: reading them with their seasons, and editing their texts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Schema

from damrak_ladder.accounts.models import User
from damrak_ladder.api.access import RUN, caller, everybody_by_name
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.conditional import stated_serial, tag_with_serial
from damrak_ladder.api.description.openapi import HEADERS
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.problems import not_found
from damrak_ladder.api.requests import Body
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.api.tournaments.spectators import router
from damrak_ladder.api.tournaments.viewers import viewer_of
from damrak_ladder.tournaments.league_changes import change_league
from damrak_ladder.tournaments.models import League
from damrak_ladder.tournaments.seasons import (
    SHOWN,
    Division,
    league_at,
    seasons_of,
    visible_leagues,
)

LAST: Final = kinds.MOST

__all__ = ["router"]


class LeagueShape(Schema):
    """A league. `serial` is that of its latest change, which edits state in `If-Match`."""

    slug: str
    name: str
    summary: str
    serial: int


class DivisionGuest(Schema):
    """A guest of a division, which has no place in its table."""

    entrant: int
    bot: str
    name: str
    points: kinds.Fraction
    played: int


class DivisionRow(DivisionGuest):
    """A bot in the table of a division."""

    place: int


class DivisionShape(Schema):
    """A division, or a play-off, with its table."""

    number: int
    name: str
    is_play_off: bool
    rows: list[DivisionRow]
    guests: list[DivisionGuest]


class MoveShape(Schema):
    """A bot that changed its division; null is outside the league.

    `chance` is the probability that it is stronger than the bot `instead_of`, which went down.
    """

    bot: str
    name: str
    why: str
    was: int | None
    now: int | None
    instead_of: str
    chance: float | None


class SeasonShape(Schema):
    """A season of a league, with the moves since the one before it."""

    number: int
    tournament: str
    name: str
    phase: kinds.TournamentPhase
    champion: str | None
    """The first bot of the first division, once all games are played."""
    divisions: list[DivisionShape]
    moves: list[MoveShape]


class LeagueInFull(LeagueShape):
    """A league with its newest seasons. `next` is the `before` of earlier ones; null at the end."""

    seasons: list[SeasonShape]
    next: int | None


class LeagueEdit(Body):
    """New texts of a league; a text that is absent or null stays."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=STORABLE)] | None = None
    summary: Annotated[str, Field(max_length=300, pattern=STORABLE)] | None = None


@router.get(
    "/leagues",
    auth=everybody_by_name,
    response=list[LeagueShape],
    operation_id="list_leagues",
    summary="Leagues",
)
def list_leagues(request: HttpRequest, response: HttpResponse) -> Any:
    """List the leagues that have a season."""
    set_private(response)
    return list(visible_leagues(viewer_of(request)).order_by("slug"))


@router.get(
    "/leagues/{slug:slug}",
    auth=everybody_by_name,
    response=LeagueInFull,
    operation_id="get_league",
    summary="A league with its seasons",
    openapi_extra={"x-damrak-headers": ("ETag",)},
)
def get_league(
    request: HttpRequest,
    response: HttpResponse,
    slug: kinds.Slug,
    before: Annotated[int, Field(ge=1, le=LAST)] = LAST,
) -> Any:
    """Return the newest seasons before this one, with their divisions and moves."""
    set_private(response)
    viewer = viewer_of(request)
    league = _league(slug, viewer)
    tag_with_serial(request, response, league.serial)
    seasons = seasons_of(league, viewer, before, SHOWN)
    more = seasons[-1].number if len(seasons) == SHOWN and seasons[-1].number > 1 else None
    shown = [
        {
            "tournament": one.slug,
            "champion": None if one.champion is None else one.champion["bot"],
            **asdict(one),
            "divisions": [_division(division) for division in one.divisions],
        }
        for one in seasons
    ]
    head = {name: getattr(league, name) for name in LeagueShape.model_fields}
    return {**head, "seasons": shown, "next": more}


@router.patch(
    "/leagues/{slug:slug}",
    auth=RUN,
    response=LeagueShape,
    operation_id="edit_league",
    summary="Edit the texts of a league",
    openapi_extra={HEADERS: ("If-Match-Serial",), "x-damrak-headers": ("ETag",)},
)
@refuses("not-allowed", "bad-serial", "serial-needed", "stale", "bad-tournament")
def edit_league(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, edit: LeagueEdit
) -> League:
    """Change the name or the summary; the slug stays.

    The header `If-Match` has the serial of the league that was read: 412 if another organiser has
    changed it since. Owners, organisers of the last season and staff may edit a league.
    """
    set_private(response)
    user = caller(request)
    league = _league(slug, user)
    serial = stated_serial(request, what="an edit")
    texts = edit.model_dump(exclude_none=True)
    changed = change_league(league, user, serial, texts, timezone.now())
    tag_with_serial(request, response, changed.serial)
    return changed


def _division(one: Division) -> dict[str, Any]:
    return asdict(one) | {
        "rows": [row for row in one.rows if row["place"] is not None],
        "guests": [row for row in one.rows if row["place"] is None],
    }


def _league(slug: str, viewer: User | None) -> League:
    """Return the league of this address.

    Raises:
        Problem: there is none that the viewer may see.
    """
    if (league := league_at(slug, viewer)) is None:
        raise not_found(f"league {slug}", "GET /api/v1/leagues lists them")
    return league
