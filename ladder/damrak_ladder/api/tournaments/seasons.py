"""The operation that begins the next season of a league."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Router, Schema

from damrak_ladder.api.access import RUN, caller
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.requests import Body
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.api.tournaments.checks import run_by_caller
from damrak_ladder.api.tournaments.details import PATH
from damrak_ladder.tournaments.next_season import begin_next_season, names_of_next, outlook

router = Router(tags=["tournaments"])


class NewSeason(Body):
    """The next season of a league; its name and slug follow from those of the last season."""

    slug: Annotated[str, Field(max_length=40, pattern=STORABLE)] = ""
    name: Annotated[str, Field(max_length=60, pattern=STORABLE)] = ""
    dry_run: bool = False


class SeasonMove(Schema):
    """A bot that changes its division; null is outside of the league."""

    bot: kinds.Slug
    why: str
    was: int | None
    now: int | None
    instead_of: str | None
    chance_stronger: float | None


class NextSeason(Schema):
    """The season that was begun, or would be: divisions count from 1 and list slugs of bots."""

    slug: str
    name: str
    number: int
    divisions: list[list[str]]
    moves: list[SeasonMove]
    leaving: list[str]
    dry_run: bool


@router.post(
    f"{PATH}/next-season",
    auth=RUN,
    response=NextSeason,
    operation_id="begin_next_season",
    summary="Begin the next season of a league, or preview it",
)
@refuses("not-allowed", "not-possible", "bad-tournament")
@idempotent(RUN)
def begin_season(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, new: NewSeason
) -> dict[str, Any]:
    """Create the season after this one, whose results must be final and public.

    Its rules and bots are those of this season, and its entries are open. With `dry_run` nothing is
    created.
    """
    set_private(response)
    last = run_by_caller(request, response, slug)
    found = outlook(last)
    names = names_of_next(last, found.number)
    names = {"slug": new.slug or names["slug"], "name": new.name or names["name"]}
    if not new.dry_run:
        user, now = caller(request), timezone.now()
        begin_next_season(last, user, names["slug"], names["name"], now)
    return {**names, **found.as_json(), "dry_run": new.dry_run}
